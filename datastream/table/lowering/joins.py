"""Joins of rows as they come, within windows, and of rows whose times are near each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from datastream.errors import UnsupportedOperation
from datastream.graph.operators import IntervalJoin, Joining, TableJoin, WindowJoin
from datastream.graph.operators.relational import FOR_GOOD, RowCode
from datastream.table.functions.temporal import CURRENT_WATERMARK
from datastream.table.plan.expression_trees import conjuncts
from datastream.table.plan.expressions import Expression
from datastream.table.plan.relations import Column, Join, SetOperation
from datastream.table.planner.timed_joins import TimeBounds, time_bounds
from datastream.table.planner.windowed import Windowed, joined_windows, window_free, window_pairs
from datastream.table.types.logical_types import LocalZonedTimestampType

from .block_calls import apart
from .calc import lower_calc
from .context import Lowered
from .join_keys import JoinKeys, have_maps, have_reals, join_keys, of_pairs
from .layouts import join_layout
from .lowering import Lowering, listed, lowers


@lowers(Join)
def lower_join(lowering: Lowering, relation: Join, upserted: frozenset[int] | None) -> Lowered:
    """JOIN."""
    parted = apart(relation, lowering.context.functions)
    if not isinstance(parted, Join):
        return lower_calc(lowering, parted, upserted)
    batch = lowering.context.batch
    left, right = lowering.lower_side(relation.left, "left"), lowering.lower_side(relation.right, "right")
    if not batch and not left.updates and not right.updates:
        if (windows := joined_windows(relation)) is not None:
            return _window_join(lowering, relation, left, right, windows)
        if (bounds := time_bounds(relation, lowering.context.functions)) is not None:
            return _interval_join(lowering, relation, left, right, bounds)
    if not batch and have_maps((*left.columns, *right.columns)):
        return lower_pairs(lowering, relation, left, right)
    conditions = [] if relation.condition is None else conjuncts(relation.condition)
    keys = join_keys(conditions, len(left.columns))
    return join(lowering, left, right, relation.kind, keys, relation.columns, relation.ttls)


def lower_pairs(lowering: Lowering, relation: Join | SetOperation, left: Lowered, right: Lowered) -> Lowered:
    """What finds rows that have maps."""
    return lowering.lower(of_pairs(replace(relation, left=lowering.give(left), right=lowering.give(right))))


def join(
    lowering: Lowering,
    left: Lowered,
    right: Lowered,
    kind: str,
    keys: JoinKeys,
    columns: tuple[Column, ...],
    ttls: tuple[int | None, ...] = (),
) -> Lowered:
    """Join rows as they come; see `TableJoin`."""
    changes = left.updates, right.updates
    of_left, of_right = map(lowering.ttl_ms, ttls or (None, None))
    kinds = not lowering.context.batch and (any(changes) or kind not in ("inner", "semi"))
    return lowering.two_inputs(
        TableJoin,
        f"Join({kind}, {listed(columns)})",
        left,
        right,
        (keys.left, keys.right),
        columns,
        kinds,
        join=kind,
        changes=changes,
        reals=(have_reals(left.columns), have_reals(right.columns)),
        kinds=kinds,
        nulls=keys.nulls,
        equals=keys.equals,
        condition=compile_condition(lowering, keys.rest, (*left.columns, *right.columns)),
        layout=join_layout(kind, keys.left, left.columns, right.columns, timed=of_left + of_right > 0),
        ttl_ms=of_left + of_right and max(of_left or FOR_GOOD, of_right or FOR_GOOD),
        ttls=(of_left, of_right),
        plain_keys=keys.plain,
    )


def _window_join(
    lowering: Lowering, relation: Join, left: Lowered, right: Lowered, windows: tuple[Windowed, Windowed]
) -> Lowered:
    """A join within windows."""
    keys = join_keys(window_free(relation, windows), len(left.columns))
    zoned = isinstance(windows[0].column.type, LocalZonedTimestampType) and lowering.options.zone != "UTC"
    start, end = window_pairs(relation, windows)
    return _timed_join(
        lowering,
        WindowJoin,
        relation,
        left,
        right,
        keys,
        layout=join_layout(relation.kind, keys.left, left.columns, right.columns, False, "window "),
        spans=((start[0], end[0]), (start[1], end[1])),
        zone=lowering.options.zone if zoned else "",
    )


def _interval_join(lowering: Lowering, relation: Join, left: Lowered, right: Lowered, bounds: TimeBounds) -> Lowered:
    """A join of rows whose times are near each other."""
    keys = join_keys(bounds.rest, len(left.columns))
    return _timed_join(
        lowering,
        IntervalJoin,
        relation,
        left,
        right,
        keys,
        layout=join_layout(relation.kind, keys.left, left.columns, right.columns, False, "interval "),
        times=(bounds.left, bounds.right),
        lower=bounds.lower,
        upper=bounds.upper,
        processing=left.columns[bounds.left].time == "proctime",
    )


def _timed_join(
    lowering: Lowering,
    operator: type[Joining],
    relation: Join,
    left: Lowered,
    right: Lowered,
    keys: JoinKeys,
    **fields: Any,
) -> Lowered:
    """A join by time, which emits new rows only."""
    return lowering.two_inputs(
        operator,
        f"{operator.__name__}({relation.kind}, {listed(relation.columns)})",
        left,
        right,
        (keys.left, keys.right),
        relation.columns,
        False,
        join=relation.kind,
        nulls=keys.nulls,
        equals=keys.equals,
        condition=compile_condition(lowering, keys.rest, (*left.columns, *right.columns)),
        **fields,
    )


def compile_condition(lowering: Lowering, parts: Sequence[Expression], columns: Sequence[Column]) -> RowCode | None:
    """The code of a join's conditions, over the columns of both sides; None: there are none."""
    if not parts:
        return None
    compiler = lowering.compiler_over(columns)
    for part in parts:
        compiler.filter(part)
    if compiler.names.reads_watermark:
        raise UnsupportedOperation(f"{CURRENT_WATERMARK} in the condition of a join: put it in a column before")
    return compiler.code()
