"""What DEFINE and MEASURES say of the rows of pattern variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.temporal import CURRENT_WATERMARK
from datastream.table.plan.errors import refused, unknown, wrong
from datastream.table.plan.expression_trees import children, rebuild, walk
from datastream.table.plan.expressions import (
    Call,
    Expression,
    Field,
    Literal,
    MatchTime,
    Name,
    OfVariable,
    Over,
    Star,
    Subquery,
)
from datastream.table.plan.relations import PatternVariable
from datastream.table.plan.typed import is_boolean, type_of
from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.logical_types import DataType, LocalZonedTimestampType, NullType, TimestampType
from datastream.table.types.type_text import summary

from .resolver import Resolver, is_aggregate
from .scope import Scope

_LOGICAL = ("FIRST", "LAST")
_PHYSICAL = ("PREV", "NEXT")
_REFUSED = {
    "CLASSIFIER": "CLASSIFIER() is not supported: a match emits one row, and measures name their variables",
    "MATCH_NUMBER": "MATCH_NUMBER() is not supported: number the matches with ROW_NUMBER() OVER (...)",
    "RUNNING": "RUNNING is not supported: measures are of the whole match",
}


class PatternResolver:
    """Resolves expressions of MATCH_RECOGNIZE over the columns of its input.

    Args:
        scope: The input's columns.
        variables: Those of the pattern.
        timed: Matches have a time of rows; else rows are in the order of the machine's clock.
        functions: Finds functions.
    """

    def __init__(
        self, scope: Scope, variables: Sequence[PatternVariable], timed: bool, functions: FunctionLookup
    ) -> None:
        self._variables, self._timed, self._functions = {each.name: each for each in variables}, timed, functions
        self._resolver = Resolver(Scope(scope.columns, ((),) * len(scope.columns)), functions)

    def knowing(self, variables: Sequence[PatternVariable]) -> PatternResolver:
        """The same with more variables."""
        known = [*self._variables.values(), *variables]
        return PatternResolver(self._resolver.scope, known, self._timed, self._functions)

    def condition(self, written: Expression) -> Expression:
        """A condition of DEFINE."""
        if isinstance(written, Literal) and isinstance(written.type, NullType):
            raise wrong("Illegal use of 'NULL': a condition of DEFINE is a BOOLEAN", written.position)
        resolved = self._resolver.resolve(self._read(written, False))
        if not is_boolean(resolved):
            raise wrong(
                f"DEFINE clause must be a condition: {resolved} is {summary(type_of(resolved))}", written.position
            )
        return resolved

    def measure(self, written: Expression) -> Expression:
        """A measure."""
        return self._resolver.resolve(self._read(written, True))

    # -- parts -------------------------------------------------------------------------------------

    def _read(self, written: Expression, measures: bool) -> Expression:
        """An expression as written, with columns of rows and aggregates resolved."""
        match written:
            case Name():
                return self._column(written)
            case Over():
                raise wrong("OVER is not supported in MATCH_RECOGNIZE", written.position)
            case Subquery():
                raise refused("A query is not supported in MATCH_RECOGNIZE", written.position)
            case Call():
                return self._call(written, measures)
        parts = tuple(self._read(part, measures) for part in children(written))
        return rebuild(written, parts) if parts else written

    def _call(self, call: Call, measures: bool) -> Expression:
        name = call.function.upper()
        if name in _REFUSED:
            raise refused(_REFUSED[name], call.position)
        if name == CURRENT_WATERMARK:
            raise refused(f"{CURRENT_WATERMARK} is not supported in MATCH_RECOGNIZE", call.position)
        if name == "FINAL":
            return self._read(call.args[0], measures)
        if name in _LOGICAL:
            return self._navigated(call, name == "FIRST", self._offset(call, 0))
        if name in _PHYSICAL:
            return self._physical(call, measures)
        if name == "MATCH_ROWTIME":
            return self._match_time(call)
        if name == "MATCH_PROCTIME" and not call.args:
            return replace(call, function="PROCTIME")
        if self._aggregates(call):
            return self._aggregate(call)
        self._check_runs_row_by_row(call)
        parts = tuple(self._read(part, measures) for part in children(call))
        return rebuild(call, parts) if parts else call

    def _check_runs_row_by_row(self, call: Call) -> None:
        found = self._functions.find(call.function)
        if found is None or isinstance(found, Entry | AggregateEntry):
            return
        if found.kind != "scalar" or found.pandas:
            kind = "pandas" if found.pandas else found.kind
            raise refused(f"{call.function}: {kind} functions are not supported in MATCH_RECOGNIZE", call.position)

    def _match_time(self, call: Call) -> Expression:
        kind: DataType = TimestampType(3, False)
        if call.args:
            found = self._resolver.resolve(call.args[0])
            time = self._resolver.scope.columns[found.index].time if isinstance(found, Field) else None
            if len(call.args) > 1 or time != "rowtime":
                raise wrong(
                    "The function MATCH_ROWTIME requires argument to be a row time attribute type, but is "
                    f"'{summary(type_of(found))}'",
                    call.position,
                )
            kind = LocalZonedTimestampType(3, False) if isinstance(found.type, LocalZonedTimestampType) else kind
        elif not self._timed:
            raise wrong("MATCH_ROWTIME() needs an ORDER BY of a rowtime attribute", call.position)
        return MatchTime(type=kind, position=call.position)

    def _physical(self, call: Call, measures: bool) -> Expression:
        if measures:
            raise wrong(f"Cannot use PREV/NEXT in MEASURE '{call}'", call.position)
        if self._offset(call, 1):
            raise refused(
                "Flink does not support physical offsets within partition: use LAST(variable.column, 1), which counts "
                "the rows of a variable, in place of PREV",
                call.position,
            )
        return self._read(call.args[0], measures)

    def _offset(self, call: Call, default: int) -> int:
        """How far FIRST and their like look."""
        if not 1 <= len(call.args) <= 2:
            raise wrong(f"{call.function} takes 1 to 2 arguments, got {len(call.args)}", call.position)
        if len(call.args) == 1:
            return default
        found = call.args[1]
        value = found.value if isinstance(found, Literal) else None
        if not isinstance(value, int) or isinstance(value, bool) or isinstance(found.type, DayTimeIntervalType):
            raise wrong(f"The offset of {call.function} is a whole number, got {found}", found.position)
        if value < 0:
            raise wrong(f"The offset of {call.function} must not be negative, got {value}", found.position)
        return value

    def _navigated(self, call: Call, first: bool, offset: int) -> Expression:
        """FIRST or LAST of an expression over a row."""
        if not self._check_one_variable(call) and not isinstance(call.args[0], Literal):
            raise wrong(f"{call.function} takes an expression over columns of rows, got {call}", call.position)
        for part in walk(call.args[0]):
            if isinstance(part, Call) and part.function.upper() in (*_LOGICAL, *_PHYSICAL):
                raise wrong(f"Cannot nest PREV/NEXT under LAST/FIRST '{part}'", part.position)
            if isinstance(part, Call) and self._aggregates(part):
                raise wrong(f"Cannot use aggregation in navigation '{part}'", part.position)
        return self._moved(self._read(call.args[0], True), first, offset)

    def _moved(self, expression: Expression, first: bool, offset: int) -> Expression:
        if isinstance(expression, OfVariable):
            kind = type_of(expression).nullable() if offset else expression.type
            return replace(expression, first=first, offset=offset, type=kind)
        parts = tuple(self._moved(part, first, offset) for part in children(expression))
        return rebuild(expression, parts) if parts else expression

    def _column(self, name: Name) -> Expression:
        """A column of a row: of the last one of a variable, or of the match."""
        variable, inner = self._split(name)
        return self._of_rows(self._resolver.resolve(inner), variable)

    def _of_rows(self, resolved: Expression, variable: str | None) -> Expression:
        if isinstance(resolved, Field):
            always = variable is None or self._variables[variable].least > 0
            kind = type_of(resolved) if always else type_of(resolved).nullable()
            return OfVariable(resolved, variable, type=kind, position=resolved.position)
        parts = tuple(self._of_rows(part, variable) for part in children(resolved))
        return rebuild(resolved, parts) if parts else resolved

    def _split(self, name: Name) -> tuple[str | None, Name]:
        """The variable of a name, and the column."""
        if len(name.parts) > 1 and name.parts[0] in self._variables:
            return name.parts[0], replace(name, parts=name.parts[1:])
        if len(name.parts) > 1 and name.parts[0] not in {each.name for each in self._resolver.scope.columns}:
            raise unknown("pattern variable", name.parts[0], self._variables, name.position)
        return None, name

    # -- aggregates --------------------------------------------------------------------------------

    def _aggregates(self, call: Call) -> bool:
        return is_aggregate(call, self._functions)

    def _aggregate(self, call: Call) -> Expression:
        if getattr(self._functions.find(call.function), "over_only", False):
            raise wrong(f"{call.function} needs an OVER clause, which MATCH_RECOGNIZE does not have", call.position)
        if call.distinct:
            raise wrong(f"DISTINCT/ALL not allowed with {call} in MATCH_RECOGNIZE", call.position)
        if call.filter is not None:
            raise refused("FILTER is not supported in MATCH_RECOGNIZE: use CASE in the argument", call.position)
        for part in (part for arg in call.args for part in walk(arg)):
            if isinstance(part, Call) and self._aggregates(part):
                raise wrong("Aggregate expressions cannot be nested", part.position)
            if isinstance(part, Call) and part.function.upper() in (*_LOGICAL, *_PHYSICAL):
                raise refused(f"{part} is not supported in an aggregate, which is of all rows", part.position)
        variables = self._check_one_variable(call)
        if call.args and not variables and not any(map(_is_star, call.args)):
            raise wrong(f"No pattern variable specified in aggregate: {call}", call.position)
        resolved = self._resolver.resolve(rebuild(call, tuple(map(self._bare, call.args))))
        variable = next(iter(variables), None)
        return OfVariable(resolved, variable, type=type_of(resolved), position=call.position)

    def _bare(self, written: Expression) -> Expression:
        """An expression whose columns are named without their variables."""
        if isinstance(written, Name):
            return self._split(written)[1]
        parts = tuple(map(self._bare, children(written)))
        return rebuild(written, parts) if parts else written

    def _check_one_variable(self, call: Call) -> set[str | None]:
        """The variables that arguments are of, at most one."""
        found = set(self._variables_in(call.args))
        if len(found) > 1:
            raise wrong(f"Multiple pattern variables in '{call}'", call.position)
        return found

    def _variables_in(self, expressions: Sequence[Expression]) -> Iterator[str | None]:
        for each in expressions:
            for part in walk(each):
                if isinstance(part, Name):
                    yield self._split(part)[0]


def _is_star(expression: Expression) -> bool:
    return isinstance(expression, Star)
