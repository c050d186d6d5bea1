"""The code of MATCH_RECOGNIZE: conditions and measures over the rows of a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from datastream.graph.operators.patterns import FoldOf, MatchCode, MatchProgram, PatternPart, RowOf, Skip
from datastream.graph.operators.relational import FoldCode
from datastream.table.codegen.aggregates import FoldCompiler
from datastream.table.codegen.calc import RowCompiler
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expression_trees import children, rebuild, walk
from datastream.table.plan.expressions import Call, Expression, Field, Literal, MatchTime, OfVariable
from datastream.table.plan.relations import Match


def arguments_in(relation: Match) -> list[Expression]:
    """What the aggregates of a match take, each once, and further columns of its order."""
    calls = (call for each in _expressions(relation) for call in _aggregates(each))
    return list(dict.fromkeys(arg for call in calls for arg in call.args))


def _expressions(relation: Match) -> Iterable[Expression]:
    yield from (each.condition for each in relation.pattern if each.condition is not None)
    yield from relation.measures


def _aggregates(expression: Expression) -> Iterable[Call]:
    for part in walk(expression):
        if isinstance(part, OfVariable) and isinstance(part.arg, Call):
            yield part.arg


class MatchCompiler:
    """Compiles the conditions and measures of a match.

    Args:
        relation: The match.
        places: Where what aggregates take stands in the rows.
        functions: Finds functions.
    """

    def __init__(self, relation: Match, places: Mapping[Expression, int], functions: FunctionLookup) -> None:
        self._relation, self._places, self._functions = relation, places, functions
        self._parts = {each.name: place for place, each in enumerate(relation.pattern)}

    @property
    def pattern(self) -> tuple[PatternPart, ...]:
        """The pattern."""
        return tuple(PatternPart(each.name, each.least, each.most, each.greedy) for each in self._relation.pattern)

    @property
    def skip(self) -> Skip:
        """Where the search goes on after a match."""
        return Skip(self._relation.skip, self._relation.target)

    def program(self, zone: str) -> MatchProgram:
        """The code.

        Args:
            zone: The session's time zone.
        """
        relation, input = self._relation, self._relation.input.columns
        keys = [OfVariable(Field(i, input[i].name, type=input[i].type), None, True) for i in relation.partition]
        keys = [replace(each, type=each.arg.type) for each in keys]
        conditions = [None if each.condition is None else [each.condition] for each in relation.pattern]
        return MatchProgram(
            tuple(None if each is None else self._code(each, zone, True) for each in conditions),
            self._code([*keys, *relation.measures], zone, False),
        )

    def _code(self, expressions: Sequence[Expression], zone: str, condition: bool) -> MatchCode:
        record = _Record(self._parts, self._places)
        for each in expressions:
            record.read(each)
        compiler = RowCompiler(record.width, False, self._functions, zone)
        over = [record.over(each) for each in expressions]
        if condition:
            compiler.filter(over[0])
        else:
            compiler.project(over)
        folds = [FoldOf(self._fold(calls, zone), part) for part, calls in record.calls.items()]
        return MatchCode(tuple(record.rows), tuple(folds), compiler.code(), record.timed)

    def _fold(self, calls: Sequence[Call], zone: str) -> FoldCode:
        constants = {place: each for each, place in self._places.items() if isinstance(each, Literal)}
        args = [replace(call, args=tuple(self._argument(arg) for arg in call.args)) for call in calls]
        return FoldCompiler(args, False, False, self._functions, zone, constants).code

    def _argument(self, arg: Expression) -> Field:
        return Field(self._places[arg], "", type=arg.type)


class _Record:
    """What is read of the rows of a match, as a record: columns of rows, results of aggregates, the match's time.

    Attributes:
        rows: The columns.
        calls: The aggregates, by the part of the pattern whose rows they are of.
        timed: The time of the match is read.
    """

    def __init__(self, parts: Mapping[str, int], places: Mapping[Expression, int]) -> None:
        self._parts, self._places = parts, places
        self.rows: list[RowOf] = []
        self.calls: dict[int | None, list[Call]] = {}
        self.timed = False

    @property
    def width(self) -> int:
        """How many parts the record has."""
        return len(self.rows) + sum(map(len, self.calls.values())) + self.timed

    def read(self, expression: Expression) -> None:
        """Take in what an expression reads."""
        for part in walk(expression):
            self.timed = self.timed or isinstance(part, MatchTime)
            if isinstance(part, OfVariable) and isinstance(part.arg, Call):
                calls = self.calls.setdefault(self._part(part), [])
                if part.arg not in calls:
                    calls.append(part.arg)
            elif isinstance(part, OfVariable) and (row := self._row(part)) not in self.rows:
                self.rows.append(row)

    def over(self, expression: Expression) -> Expression:
        """An expression over the record."""
        if isinstance(expression, MatchTime):
            return Field(self.width - 1, str(expression), type=expression.type)
        if isinstance(expression, OfVariable):
            return Field(self._place(expression), str(expression), type=expression.type)
        parts = tuple(map(self.over, children(expression)))
        return rebuild(expression, parts) if parts else expression

    def _place(self, read: OfVariable) -> int:
        if not isinstance(read.arg, Call):
            return self.rows.index(self._row(read))
        place = len(self.rows)
        for part, calls in self.calls.items():
            if part == self._part(read):
                return place + calls.index(read.arg)
            place += len(calls)
        raise AssertionError(read)

    def _part(self, read: OfVariable) -> int | None:
        return None if read.variable is None else self._parts[read.variable]

    def _row(self, read: OfVariable) -> RowOf:
        assert isinstance(read.arg, Field), read
        return RowOf(read.arg.index, self._part(read), read.first, read.offset)
