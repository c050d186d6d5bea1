"""The rows of session windows, each with its session."""

from __future__ import annotations

from datastream.errors import UnsupportedOperation
from datastream.graph.operators import SessionTable
from datastream.graph.operators.relational import FoldCode
from datastream.table.codegen.inside_types import inside_row
from datastream.table.plan.relations import WindowTable
from datastream.table.planner.windows import ADDED

from .calc import lower_calc
from .context import Lowered
from .layouts import rows_of_windows_layout
from .lowering import Lowering, listed, lowers, types
from .window_tables import check_window, zone_of

#: An accumulator that is the list of the rows.
_ROWS = FoldCode(first="[]", add=("acc.append(r)",), retract=(), merge=("acc += other",), value="()")


@lowers(WindowTable)
def lower_window_table(lowering: Lowering, relation: WindowTable, upserted: frozenset[int] | None) -> Lowered:
    """Each row with its windows: at once, but for sessions, which end only later."""
    if relation.window.kind != "session":
        return lower_calc(lowering, relation, upserted)
    below, window = lowering.lower(relation.input), relation.window
    check_window(lowering, window, below.columns)
    if below.updates:
        raise UnsupportedOperation(
            "SESSION takes new rows only, and its table has updates: group by window_start, window_end and the "
            "partition's columns, which takes updates too"
        )
    zone, processing = zone_of(lowering, window, below.columns), below.columns[window.time].time == "proctime"
    node = lowering.keyed(
        below,
        relation.partition,
        SessionTable,
        f"WindowTableFunction({listed(relation.columns)})",
        fold=_ROWS,
        layout=rows_of_windows_layout(below.columns, relation.partition, window, zone, processing),
        changes=False,
        window=window.kind,
        time=window.time,
        size=window.size_us,
        slide=0,
        offset=0,
        given=tuple(ADDED.values()),
        zone=zone,
        processing=processing,
        output_type=inside_row(types(relation.columns)),
    )
    return Lowered(node, relation.columns, False)
