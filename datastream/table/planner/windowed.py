"""Which columns of a relation say of which window a row is; they still do after projections, joins and groupings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from datastream.table.catalogs.errors import TableException
from datastream.table.plan.expression_trees import conjuncts
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.relations import (
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
    Window,
    WindowAggregate,
    WindowTable,
)


@dataclass(frozen=True)
class Windowed:
    """The windows that the rows of a relation are of.

    Attributes:
        window: What windows they are; its `time` says nothing.
        column: The time that they are over.
        starts: Indexes of the columns that have a window's start.
        ends: Of those that have its end.
        times: Of those that have its last moment.
        partition: Of sessions: for each column that they are of, the indexes of those that have it.
    """

    window: Window
    column: Column
    starts: frozenset[int]
    ends: frozenset[int]
    times: frozenset[int]
    partition: tuple[frozenset[int], ...] = ()

    def moved(self, places: Mapping[int, Iterable[int]]) -> Windowed | None:
        """The same with columns at other places; None where a start or an end is no more."""

        def at(columns: frozenset[int]) -> frozenset[int]:
            return frozenset(place for column in columns for place in places.get(column, ()))

        starts, ends = at(self.starts), at(self.ends)
        if not starts or not ends:
            return None
        return replace(self, starts=starts, ends=ends, times=at(self.times), partition=tuple(map(at, self.partition)))

    def property_of(self, index: int) -> str | None:
        """What a column says of the window: ``start``, ``end``, ``rowtime``, or None."""
        for name, columns in (("start", self.starts), ("end", self.ends), ("rowtime", self.times)):
            if index in columns:
                return name
        return None


def windowed(relation: Relation) -> Windowed | None:
    """The windows that a relation's rows are of; None: they are of none, or its columns do not say of which."""
    match relation:
        case WindowTable(input=input, window=window, partition=partition):
            column, given = input.columns[window.time], ("start", "end", "rowtime")
            return _of(window, column, given, len(input.columns), partition)
        case WindowAggregate(input=input, window=window, properties=properties, keys=keys):
            column = input.columns[window.time]
            if window.start is not None and (below := windowed(input)) is not None:
                column = below.column
            of = range(len(keys)) if window.kind == "session" else ()
            return _of(window, column, properties, len(relation.columns) - len(properties), of)
        case Filter(input=input):
            return windowed(input)
        case Project(input=input, expressions=expressions):
            below = windowed(input)
            return None if below is None else below.moved(_places(expressions))
        case Correlate(input=input) | Predict(input=input):
            return windowed(input)
        case OverAggregate(input=input, partition=partition) | Rank(input=input, partition=partition):
            below = windowed(input)  # where rows are numbered within their window, they come with it
            within = below is not None and of_whole_windows(partition, below)
            return below if within and (isinstance(relation, Rank) or relation.numbers) else None
        case SetOperation(left=left, right=right, kind="union"):
            one, other = windowed(left), windowed(right)
            if one is None or other is None or (one.window, one.column.type) != (other.window, other.column.type):
                return None
            if len(one.partition) != len(other.partition):
                return None
            both = replace(
                one,
                starts=one.starts & other.starts,
                ends=one.ends & other.ends,
                times=one.times & other.times,
                partition=tuple(a & b for a, b in zip(one.partition, other.partition, strict=True)),
            )
            return both if both.starts and both.ends else None
        case Join():
            return _of_join(relation)
    return None


def of_whole_windows(partition: Iterable[int], windows: Windowed) -> bool:
    """Whether rows are apart by their window: a partition ends with it."""
    by = frozenset(partition)
    return bool(by & windows.starts) and bool(by & windows.ends)


def joined_windows(relation: Join) -> tuple[Windowed, Windowed] | None:
    """The windows of both sides of a window join: its condition is that the rows are of one window, and maybe more.

    Raises:
        TableException: They are windows of processing time.
    """
    left, right = windowed(relation.left), windowed(relation.right)
    if left is None or right is None or relation.condition is None:
        return None
    if (left.window, left.column.type, left.column.time) != (right.window, right.column.type, right.column.time):
        return None
    said = {_of_both(part, len(relation.left.columns), left, right) for part in conjuncts(relation.condition)}
    if not {"start", "end"} <= said:
        return None
    if left.column.time == "proctime":
        raise TableException("Processing time Window Join is not supported yet: windows of event time are.")
    return left, right


def window_pairs(relation: Join, windows: tuple[Windowed, Windowed]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The columns of both sides of a window join that have the start, and those that have the end."""
    assert relation.condition is not None
    width, found = len(relation.left.columns), {}
    for part in conjuncts(relation.condition):
        pair, name = equal_fields(part), _of_both(part, width, *windows)
        if pair is not None and name is not None:
            found[name] = pair[0], pair[1] - width
    return found["start"], found["end"]


def window_free(relation: Join, windows: tuple[Windowed, Windowed]) -> list[Expression]:
    """The conditions of a window join besides that the rows are of one window."""
    assert relation.condition is not None
    width = len(relation.left.columns)
    return [part for part in conjuncts(relation.condition) if _of_both(part, width, *windows) is None]


def _of_both(part: Expression, width: int, left: Windowed, right: Windowed) -> str | None:
    """What of the window a condition says is equal on both sides; None: it is no such condition."""
    pair = equal_fields(part)
    if pair is None or not pair[0] < width <= pair[1]:
        return None
    name = left.property_of(pair[0])
    return name if name is not None and name == right.property_of(pair[1] - width) else None


def equal_fields(part: Expression) -> tuple[int, int] | None:
    """The columns, the lower one first, that a condition says are equal."""
    if not isinstance(part, Call) or part.function != "equals":
        return None
    a, b = part.args
    if not isinstance(a, Field) or not isinstance(b, Field):
        return None
    return min(a.index, b.index), max(a.index, b.index)


def _of(
    window: Window, column: Column, properties: Iterable[str], first: int, partition: Iterable[int]
) -> Windowed | None:
    at: dict[str, set[int]] = {"start": set(), "end": set(), "rowtime": set()}
    for place, name in enumerate(properties, first):
        at.setdefault(name, set()).add(place)
    starts, ends, times = (frozenset(at[name]) for name in ("start", "end", "rowtime"))
    if not starts or not ends:
        return None
    of = tuple(frozenset({each}) for each in partition)
    return Windowed(replace(window, time=-1, start=None), column, starts, ends, times, of)


def _of_join(relation: Join) -> Windowed | None:
    both = joined_windows(relation)
    if both is None:
        return None
    left, right = both
    if relation.kind in ("semi", "anti"):
        return left
    width = len(relation.left.columns)
    shifted = right.moved({i: (i + width,) for i in range(len(relation.right.columns))})
    assert shifted is not None
    # Where a side has NULLs instead of a row, its columns do not say of which window the result is.
    kept = [left] if relation.kind != "right" else []
    kept += [shifted] if relation.kind != "left" else []
    if relation.kind == "full":
        return None
    first = kept[0]
    for other in kept[1:]:
        first = replace(
            first,
            starts=first.starts | other.starts,
            ends=first.ends | other.ends,
            times=first.times | other.times,
        )
    return first


def _places(expressions: Iterable[Expression]) -> dict[int, list[int]]:
    """Columns of the input -> where a projection has them."""
    places: dict[int, list[int]] = {}
    for place, each in enumerate(expressions):
        if isinstance(each, Field):
            places.setdefault(each.index, []).append(place)
    return places
