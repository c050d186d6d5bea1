"""Aggregates of windows, of time or of rows."""

from __future__ import annotations

from dataclasses import replace

from datastream.errors import UnsupportedOperation
from datastream.graph.operators import RowWindowAggregate
from datastream.graph.operators import WindowAggregate as WindowAggregateOperator
from datastream.graph.slices import stored_by_slice
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.plan.expressions import Field
from datastream.table.plan.relations import WindowAggregate

from .aggregates import compile_fold, compile_two_phases
from .context import Lowered
from .layouts import aggregate_layout
from .local_phase import local_phase
from .lowering import Lowering, listed, lowers, types
from .window_tables import check_window, clock_time, zone_of


@lowers(WindowAggregate)
def lower_window_aggregate(lowering: Lowering, relation: WindowAggregate, upserted: frozenset[int] | None) -> Lowered:
    """GROUP BY with a window, which emits new rows only: one for each key and window, when it ends."""
    if relation.window.kind == "rows":
        return _windows_of_rows(lowering, relation)
    below, window = lowering.lower(relation.input), relation.window
    check_window(lowering, window, relation.input.columns)
    keys, calls, updates = relation.keys, relation.calls, below.updates
    zone, processing = zone_of(lowering, window, below.columns), below.columns[window.time].time == "proctime"
    if "proctime" in relation.properties and not processing:
        raise UnsupportedOperation("a window has a processing time only if it is over one, such as PROCTIME()")
    layout = aggregate_layout([below.columns[key].type for key in keys], calls, updates, window, zone, processing)
    whole = window.kind == "session" or processing or window.start is not None
    if zone and not whole:
        time = below.columns[window.time]
        shown = clock_time(Field(window.time, time.name, type=time.type))
        below, (place,) = lowering.add_columns(below, [shown])
        window = replace(window, time=place)
    fold = None if whole else compile_two_phases(lowering, below, keys, calls, relation.input)
    parts = fold is not None
    if fold is None:
        merges = window.kind != "tumble" and window.start is None
        fold = compile_fold(lowering, below, calls, relation.input, merges=merges)
    else:
        name = f"LocalWindowAggregate({listed(relation.columns)})"
        below = local_phase(below, keys, fold, window, name, zone)
        keys = tuple(range(len(keys)))
        if stored_by_slice(window.kind, window.size_us, window.slide_us, zone):
            layout += ", window by window" if window.kind == "tumble" else ", slice by slice"
    node = lowering.keyed(
        below,
        keys,
        WindowAggregateOperator,
        f"WindowAggregate({listed(relation.columns)})",
        fold=fold,
        layout=layout,
        parts=parts,
        changes=updates,
        window=window.kind,
        time=window.time,
        size=window.size_us,
        slide=window.slide_us,
        offset=window.offset_us,
        given=relation.properties,
        zone=zone,
        processing=processing,
        start=window.start,
        output_type=inside_row(types(relation.columns)),
    )
    return Lowered(node, relation.columns, False)


def _windows_of_rows(lowering: Lowering, relation: WindowAggregate) -> Lowered:
    """Windows of a number of rows of each key, which emit a row when they are full.

    Raises:
        TableException: There are no such windows of event time, nor in batch mode.
    """
    window = relation.window
    if lowering.context.batch:
        raise TableException("Windows of row_interval() are there in streaming mode only, over a processing time.")
    if relation.input.columns[window.time].time != "proctime":
        raise TableException("Event-time grouping windows on row intervals are currently not supported.")
    below, keys = lowering.lower(relation.input), relation.keys
    layout = aggregate_layout([below.columns[key].type for key in keys], relation.calls, below.updates, None)
    node = lowering.keyed(
        below,
        keys,
        RowWindowAggregate,
        f"WindowAggregate({listed(relation.columns)})",
        fold=compile_fold(lowering, below, relation.calls, relation.input, merges=False),
        layout=f"{layout} and windows of {window.size_us} rows, each {window.slide_us}",
        changes=below.updates,
        size=window.size_us,
        slide=window.slide_us,
        output_type=inside_row(types(relation.columns)),
    )
    return Lowered(node, relation.columns, False)
