"""Joins whose condition bounds the time between partners, so that rows need not be kept for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import wrong
from datastream.table.plan.expression_trees import conjuncts, walk
from datastream.table.plan.expressions import Call, Expression, Field, Literal, Position
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Correlate,
    Filter,
    Join,
    OverAggregate,
    Predict,
    Project,
    Rank,
    Relation,
    SetOperation,
    Sort,
    Watermark,
    WindowTable,
)
from datastream.table.plan.temporal_relations import LookupJoin, SnapshotJoin, TemporalJoin
from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.type_text import summary

from .constants import NotConstant, constant
from .windowed import joined_windows

#: Of ``a ? b``: how it is said of ``b ? a``.
_TURNED = {
    "lessThan": "greaterThan",
    "lessThanOrEqual": "greaterThanOrEqual",
    "greaterThan": "lessThan",
    "greaterThanOrEqual": "lessThanOrEqual",
    "equals": "equals",
}


@dataclass(frozen=True)
class TimeBounds:
    """How far the time of partners may be apart.

    Attributes:
        left: Index of the time on the left side.
        right: Of that on the right side, from its first column.
        lower: The right time minus the left one is no less, in µs.
        upper: Nor more.
        rest: What else is in the condition.
    """

    left: int
    right: int
    lower: int
    upper: int
    rest: tuple[Expression, ...]


def time_bounds(join: Join, functions: FunctionLookup) -> TimeBounds | None:
    """The bounds of an interval join: both sides have time attributes, and the condition bounds them both ways."""
    if join.kind not in ("inner", "left", "right", "full") or join.condition is None:
        return None
    sides = (join.left, join.right)
    columns = tuple(
        column if column.time is None or comes_in_time(side, i, functions) else replace(column, time=None)
        for side in sides
        for i, column in enumerate(side.columns)
    )
    width = len(join.left.columns)
    lower: dict[tuple[int, int], list[int]] = {}
    upper: dict[tuple[int, int], list[int]] = {}
    bounding: dict[int, tuple[int, int]] = {}
    parts = [half for part in conjuncts(join.condition) for half in _halves(part)]
    for number, part in enumerate(parts):
        found = _bound(part, columns, width, functions)
        if found is None:
            continue
        pair, operator, distance = found
        bounding[number] = pair
        # left + a ? right + b says of right - left: ? a - b, turned
        if operator in ("lessThan", "lessThanOrEqual", "equals"):
            lower.setdefault(pair, []).append(distance + (operator == "lessThan"))
        if operator in ("greaterThan", "greaterThanOrEqual", "equals"):
            upper.setdefault(pair, []).append(distance - (operator == "greaterThan"))
    for pair in lower:
        if pair in upper:
            rest = tuple(part for number, part in enumerate(parts) if bounding.get(number) != pair)
            return TimeBounds(pair[0], pair[1] - width, max(lower[pair]), min(upper[pair]), rest)
    return None


def is_timed(join: Join, functions: FunctionLookup) -> bool:
    """Whether a join is one of windows, or bounded by time."""
    return joined_windows(join) is not None or time_bounds(join, functions) is not None


def comes_in_time(relation: Relation, index: int, functions: FunctionLookup) -> bool:
    """Whether rows come in the time that a column has, a time attribute: after other joins they come at any time."""
    match relation:
        case Project(input=input, expressions=expressions):
            found = expressions[index]
            return not isinstance(found, Field) or comes_in_time(input, found.index, functions)
        case Watermark(input=input, column=column):
            return index == column or comes_in_time(input, index, functions)
        case Join(left=left, right=right):
            if relation.columns[index].time != "proctime" and not is_timed(relation, functions):
                return False
            width = len(left.columns)
            side, place = (left, index) if index < width else (right, index - width)
            return comes_in_time(side, place, functions)
        case SnapshotJoin(left=left) | TemporalJoin(left=left) | LookupJoin(left=left):
            return index >= len(left.columns) or comes_in_time(left, index, functions)
        case SetOperation(left=left, right=right):
            return comes_in_time(left, index, functions) and comes_in_time(right, index, functions)
        case WindowTable(input=input, window=window) if window.kind == "session" and index < len(input.columns):
            return relation.columns[index].time == "proctime"  # a row comes when its session has ended
        case Filter() | Sort() | Correlate() | WindowTable() | OverAggregate() | Rank() | Predict():
            input = relation.input
            return index >= len(input.columns) or comes_in_time(input, index, functions)
        case Aggregate(input=input, keys=keys):
            return index >= len(keys) or comes_in_time(input, keys[index], functions)
    return True


def check_in_time(relation: Relation, index: int, functions: FunctionLookup, position: Position | None) -> None:
    """Test that windows may be over a time attribute.

    Raises:
        ValidationError: Rows do not come in its time.
    """
    if not functions.of_batch and not comes_in_time(relation, index, functions):
        column = relation.columns[index]
        raise wrong(
            "The window function requires the timecol is a time attribute type, but is "
            f"{summary(column.type.nullable())}: rows do not come in the order of '{column.name}', after a join that "
            "neither is of windows nor has a condition that bounds the time between its rows, or after SESSION, whose "
            "rows come when it ends: take window_time",
            position,
        )


def bounded_by(
    join: Join, conditions: Sequence[Expression], functions: FunctionLookup
) -> tuple[Join, list[Expression]] | None:
    """An inner join that conditions after it make one of windows or one bounded by time.

    Args:
        join: As it is written, such as ``FROM a, b``.
        conditions: Over its columns, all of which must hold.
        functions: Finds functions.

    Returns:
        The join with conditions on both sides, and the other conditions; None: they do not make it such a join.
    """
    if join.kind != "inner":
        return None
    width = len(join.left.columns)
    on_both, others = list[Expression](), list[Expression]()
    for part in conditions:
        sides = {each.index < width for each in walk(part) if isinstance(each, Field)}
        (on_both if len(sides) == 2 else others).append(part)
    if isinstance(join.left, Join):
        below = [part for part in others if all(each.index < width for each in walk(part) if isinstance(each, Field))]
        inner = bounded_by(join.left, below, functions)
        if inner is not None:
            join = replace(join, left=inner[0])
            others = [part for part in others if part not in below] + inner[1]
            return bounded_by(join, [*on_both, *others], functions) or (join, [*on_both, *others])
    said = [*([] if join.condition is None else conjuncts(join.condition)), *on_both]
    if not on_both or is_timed(join, functions):
        return None
    whole = Call("and", tuple(said), type=said[0].type) if len(said) > 1 else said[0]
    found = replace(join, condition=whole)
    return (found, others) if is_timed(found, functions) else None


def _halves(part: Expression) -> list[Expression]:
    """``a BETWEEN b AND c`` as two comparisons."""
    if isinstance(part, Call) and part.function == "between" and len(part.args) == 3:
        value, low, high = part.args
        return [
            Call("greaterThanOrEqual", (value, low), type=part.type),
            Call("lessThanOrEqual", (value, high), type=part.type),
        ]
    return [part]


def _bound(
    part: Expression, columns: tuple[Column, ...], width: int, functions: FunctionLookup
) -> tuple[tuple[int, int], str, int] | None:
    """Of ``left + a ? right + b``: the columns, the operator, and a - b in µs."""
    if not isinstance(part, Call) or part.function not in _TURNED or len(part.args) != 2:
        return None
    one, other = (_moved_time(arg, columns, functions) for arg in part.args)
    if one is None or other is None:
        return None
    operator = part.function
    if one[0] >= width > other[0]:
        one, other, operator = other, one, _TURNED[operator]
    if not one[0] < width <= other[0] or columns[one[0]].time != columns[other[0]].time:
        return None
    if columns[one[0]].type.nullable() != columns[other[0]].type.nullable():
        return None
    return (one[0], other[0]), operator, one[1] - other[1]


def _moved_time(
    expression: Expression, columns: tuple[Column, ...], functions: FunctionLookup
) -> tuple[int, int] | None:
    """Of a time attribute that is moved by a constant: the column, and by how much in µs."""
    if isinstance(expression, Field):
        return (expression.index, 0) if columns[expression.index].time is not None else None
    if not isinstance(expression, Call):
        return None
    args = expression.args
    if expression.function in ("plus", "minus") and len(args) == 2:
        sign = 1 if expression.function == "plus" else -1
        ways = [(args[0], args[1])] if sign < 0 else [(args[0], args[1]), (args[1], args[0])]
        for time, interval in ways:
            length = _length(interval, functions)
            if length is not None and (found := _moved_time(time, columns, functions)) is not None:
                return found[0], found[1] + sign * length
    if expression.function == "timestampAdd" and len(args) == 3:
        unit, count = (_constant(arg, functions) for arg in args[:2])
        if unit in _UNITS and isinstance(count, int) and (found := _moved_time(args[2], columns, functions)):
            return found[0], found[1] + count * _UNITS[unit]
    return None


_S = 1_000_000
_UNITS: dict[object, int] = {
    "MICROSECOND": 1,
    "MILLISECOND": 1000,
    "SECOND": _S,
    "MINUTE": 60 * _S,
    "HOUR": 3600 * _S,
    "DAY": 86_400 * _S,
    "WEEK": 7 * 86_400 * _S,
}


def _length(expression: Expression, functions: FunctionLookup) -> int | None:
    """The length of a constant interval of days to seconds, in µs."""
    if not isinstance(expression.type, DayTimeIntervalType):
        return None
    found = _constant(expression, functions)
    return found if isinstance(found, int) else None


def _constant(expression: Expression, functions: FunctionLookup) -> object:
    if isinstance(expression, Literal):
        return expression.value
    try:
        return constant(expression, functions)
    except NotConstant:
        return None
