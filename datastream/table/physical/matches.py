"""The code of MATCH_RECOGNIZE: conditions and measures over the rows of a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from datastream.graph.operators.patterns import FoldOf, MatchCode, MatchProgram, PatternPart, RowOf, Skip
from datastream.graph.operators.relational import FoldCode
from datastream.table.catalogs.errors import TableException
from datastream.table.logical_types import DateType, LocalZonedTimestampType, TimestampType
from datastream.table.plan.errors import placed_message
from datastream.table.plan.expressions import Call, Expression, Field, Literal, MatchTime, OfVariable, Order
from datastream.table.plan.lookup import FunctionLookup
from datastream.table.plan.relations import Match
from datastream.table.plan.resolver import children, rebuilt, walk
from datastream.table.plan.timed_joins import comes_in_time

from .aggregates import FoldCompiler
from .calc import RowCompiler
from .context import Lowered
from .orders import column_of

_TIMES = (TimestampType, LocalZonedTimestampType, DateType)


#: What makes a column one of time.
_HOW = "Declare WATERMARK FOR a column AS it in the table, or give the table a column AS PROCTIME()"


def match_time(relation: Match, below: Lowered, batch: bool, functions: FunctionLookup) -> str | None:
    """The kind of time that orders the rows; in batch mode None.

    Raises:
        TableException: It is no time.
    """
    if below.updates:
        raise TableException(
            "Match Recognize doesn't support consuming update changes: read a table whose rows are new ones only"
        )
    order = relation.order
    if batch:
        if not order:
            raise TableException("You must specify non-empty order by.")
        _check_ascending(order[0], "a table")
        place = column_of(order[0].arg)
        if place is None or not isinstance(below.columns[place].type, _TIMES):
            raise _wrong(order[0], "You must specify time point for order by as the first one.")
        return None
    if not order:
        raise TableException(f"You must specify either rowtime or proctime for order by. {_HOW}")
    place = column_of(order[0].arg)
    time = None if place is None else below.columns[place].time
    if place is None or time is None or not comes_in_time(relation.input, place, functions):
        raise _wrong(order[0], f"You must specify either rowtime or proctime for order by as the first one. {_HOW}")
    _check_ascending(order[0], "a streaming table")
    return time


def _check_ascending(order: Order, of: str) -> None:
    if not order.ascending:
        raise _wrong(order, f"Primary sort order of {of} must be ascending on time.")


def _wrong(order: Order, message: str) -> TableException:
    return TableException(placed_message(message, order.position or order.arg.position))


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
        return rebuilt(expression, parts) if parts else expression

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
