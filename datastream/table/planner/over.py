"""OVER windows: aggregates of the rows around each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions.over import BY_POSITION
from datastream.table.plan.errors import wrong
from datastream.table.plan.expression_trees import children, rebuild, walk
from datastream.table.plan.expressions import Expression, Field, Literal, Order, Over
from datastream.table.plan.relations import Column, Frame, OverAggregate, Relation
from datastream.table.plan.typed import type_of
from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.logical_types import (
    BigIntType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    SmallIntType,
    TimestampType,
    TinyIntType,
)

_NUMBERS = (TinyIntType, SmallIntType, IntType, BigIntType, FloatType, DoubleType, DecimalType)
_TIMES = (TimestampType, LocalZonedTimestampType, DateType)


def overs_in(expressions: Sequence[Expression]) -> list[Over]:
    """The OVER windows of expressions, each once."""
    found = (part for each in expressions for part in walk(each) if isinstance(part, Over))
    return list(dict.fromkeys(found))


def with_overs(
    expressions: Sequence[Expression], below: Callable[[list[Expression]], Relation]
) -> tuple[Relation, list[Expression]]:
    """A relation that has the aggregates of OVER windows as columns, and the expressions over it.

    Args:
        expressions: Resolved.
        below: Gives the relation of some of their parts, a column for each.

    Raises:
        ValidationError: A window is wrong.
    """
    overs = overs_in(expressions)
    parts: list[Expression] = []
    for over in overs:
        parts += [*over.call.args, *over.partition, *(each.arg for each in over.order)]
    for each in expressions:
        parts += [part for part in _without_overs(each) if not isinstance(part, Literal)]
    parts = list(dict.fromkeys(parts))
    relation = below(parts)
    places: dict[Expression, int] = {part: place for place, part in enumerate(parts)}

    def here(expression: Expression) -> Expression:
        if expression in places:
            place = places[expression]
            name = expression.name if isinstance(expression, Field) else relation.columns[place].name
            return Field(place, name, type=relation.columns[place].type, position=expression.position)
        inner = tuple(map(here, children(expression)))
        return rebuild(expression, inner) if inner else expression

    def timed(order: Sequence[Order]) -> bool:
        fields = [here(each.arg) for each in order[:1]]
        return any(isinstance(each, Field) and relation.columns[each.index].time is not None for each in fields)

    # Those in the order of time come first: above another one rows may change.
    for window, some in sorted(_by_window(overs).items(), key=lambda item: not timed(item[0][1])):
        partition, order, _ = window
        fields = [here(each) for each in partition]
        frame = _checked(some[0], [replace(each, arg=here(each.arg)) for each in order])
        calls = [replace(over.call, args=tuple(map(here, over.call.args))) for over in some]
        width = len(relation.columns)
        columns = [*relation.columns, *(Column(f"$o{width + i}", type_of(call)) for i, call in enumerate(calls))]
        relation = OverAggregate(
            relation,
            tuple(field.index for field in fields if isinstance(field, Field)),
            tuple(replace(each, arg=here(each.arg)) for each in order),
            frame,
            tuple(calls),
            columns=tuple(columns),
        )
        places.update((over, width + i) for i, over in enumerate(some))
    return relation, [here(each) for each in expressions]


def _without_overs(expression: Expression) -> list[Expression]:
    """The largest parts of an expression that have no OVER window."""
    if not any(isinstance(part, Over) for part in walk(expression)):
        return [expression]
    if isinstance(expression, Over):
        return []
    return [part for child in children(expression) for part in _without_overs(child)]


def _by_window(overs: Sequence[Over]) -> dict[Any, list[Over]]:
    """OVER windows that are of the same rows; those by position are behind aggregates."""
    found: dict[Any, list[Over]] = {}
    for over in overs:
        frame = _frame(over)
        found.setdefault((over.partition, over.order, frame), []).append(over)
    for some in found.values():
        some.sort(key=lambda over: over.call.function in BY_POSITION)
    return found


def _frame(over: Over) -> Frame:
    """The frame of a window, with its bounds as they are written."""
    if over.call.function in BY_POSITION:
        of_api = over.position is None and over.frame == ("ROWS", None, Literal(0))
        if over.frame is not None and not of_api:
            raise wrong(
                "ROW/RANGE not allowed with RANK, DENSE_RANK, ROW_NUMBER, PERCENTILE_CONT/DISC or LAG/LEAD functions",
                over.position,
            )
        return Frame(of_api or over.call.function == "ROW_NUMBER")
    if over.frame is None:
        return Frame(False) if over.order else Frame(False, end=None)
    kind, start, end = over.frame
    rows = kind == "ROWS"
    if rows and _is_interval(start):
        assert isinstance(start, Literal)
        start = replace(start, value=start.value // 1000, type=IntType(False))  # as Flink takes it
    return Frame(rows, None if start is None else _value(start), None if end is None else -_value(end))


def _checked(over: Over, order: Sequence[Order]) -> Frame:
    """The frame of a window whose distances fit its order."""
    frame = _frame(over)
    if frame.rows or over.frame is None or over.call.function in BY_POSITION:
        return frame
    for bound in over.frame[1:]:
        if not isinstance(bound, Expression) or not getattr(bound, "value", 0):
            continue
        kind = type_of(order[0].arg) if len(order) == 1 else None
        fits = isinstance(kind, _TIMES) if _is_interval(bound) else isinstance(kind, _NUMBERS)
        if not fits:
            raise wrong("Data Type mismatch between ORDER BY and RANGE clause", bound.position)
    return frame


def _is_interval(bound: Expression | None) -> bool:
    return bound is not None and isinstance(bound.type, DayTimeIntervalType)


def _value(bound: Expression) -> Any:
    if not isinstance(bound, Literal):
        raise ValidationError(f"the bound of an OVER window has to be a constant, got {bound}")
    return bound.value
