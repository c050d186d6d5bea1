"""ORDER BY and LIMIT."""

from __future__ import annotations

from typing import Any

from datastream.errors import UnsupportedOperation
from datastream.graph import Hash
from datastream.graph.operators import SortLimit, TopN
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.plan.errors import placed_message
from datastream.table.plan.relations import Sort

from .context import Lowered
from .layouts import top_layout
from .lowering import Lowering, listed, lowers, types
from .orders import at_places, column_of
from .selectors import no_key


@lowers(Sort)
def lower_sort(lowering: Lowering, relation: Sort, upserted: frozenset[int] | None) -> Lowered:
    """All rows in order, or the first ones, as changes where more may come."""
    below = lowering.lower(relation.input)
    if not relation.order and relation.limit is None and not relation.offset:
        return below
    if not lowering.context.batch and relation.limit is None:
        raise _without_limit(relation)
    top = not lowering.context.batch and (bool(relation.order) or below.updates)
    width = len(relation.columns)
    below, places = lowering.add_columns(below, [each.arg for each in relation.order])
    order = at_places(relation.order, places)
    more: dict[str, Any] = {"changes": below.updates} if top else {}
    kept = None if below.updates or relation.limit is None else relation.offset + relation.limit
    node = below.node.partitioned(Hash(no_key)).then(
        TopN if top else SortLimit,
        f"SortLimit({listed(relation.columns)})" if order else "Limit",
        order=order,
        offset=relation.offset,
        limit=relation.limit,
        layout=top_layout(below.columns, order, kept),
        uid=lowering.uids.here(),
        output_type=inside_row(types(below.columns), top),
        fits=True,
        parallelism=1,
        non_parallel=True,
        **more,
    )
    if len(below.columns) == width:
        return Lowered(node, relation.columns, top)
    return lowering.select(Lowered(node, below.columns, top), relation.columns)


def _without_limit(relation: Sort) -> Exception:
    """Why the rows of a table without end cannot be put in order, in Flink's words."""
    so = "give a LIMIT, or use EnvironmentSettings.in_batch_mode()"
    position = relation.order[0].position or relation.order[0].arg.position if relation.order else None
    if relation.offset:
        what = f"FETCH is missed, which on streaming table is not supported currently: {so}"
        return TableException(placed_message(what, position))
    first = column_of(relation.order[0].arg) if relation.order[0].ascending else None
    if first is None or relation.columns[first].time is None:
        return TableException(placed_message(f"Sort on a non-time-attribute field is not supported: {so}", position))
    return UnsupportedOperation(f"ORDER BY of a time attribute without a LIMIT is not there yet: {so}")
