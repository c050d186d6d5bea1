"""What stands before the sink of a table."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.graph.operators import SinkMaterialize
from datastream.table.codegen.inside_types import inside_row

from .context import Lowered
from .layouts import sink_layout
from .lowering import Lowering, by_columns, types


def materialize(
    lowering: Lowering, below: Lowered, conflict: str, primary: Sequence[int], upsert: tuple[int, ...] | None
) -> Lowered:
    """Keep the row of each primary key of the table that takes the rows; see `SinkMaterialize`.

    Args:
        lowering: Makes operators.
        below: The rows.
        conflict: What becomes of rows that have one primary key.
        primary: The columns of the primary key.
        upsert: Those by which the rows are changed; None: they are not known.
    """
    names = [below.columns[place].name for place in primary]
    with lowering.uids.below("materialize"):
        uid = lowering.uids.here()
    made = by_columns(below, primary).then(
        SinkMaterialize,
        f"SinkMaterialize(pk=[{', '.join(names)}], conflictStrategy=[{conflict.upper()}])",
        conflict=conflict,
        key=tuple(zip(names, primary, strict=True)),
        upsert=upsert,
        changes=below.updates,
        layout=sink_layout(below.columns, primary, upsert, conflict),
        uid=uid,
        output_type=inside_row(types(below.columns), True),
        fits=True,
    )
    return Lowered(made, below.columns, True)
