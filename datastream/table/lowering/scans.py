"""Tables, streams and constant rows as they are read; rows that replace each other by a key, as changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from datastream.api.step import node_of
from datastream.connectors.collection import CollectionSource
from datastream.graph.operators import ChangelogNormalize
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.plan.relations import Scan, StreamScan, Values
from datastream.time import WatermarkStrategy

from .context import Lowered
from .layouts import rows_layout
from .lowering import Lowering, by_columns, lowers, types, without_replaced
from .streams import stream_rows


@lowers(Scan, StreamScan)
def lower_scan(
    lowering: Lowering,
    relation: Scan | StreamScan,
    upserted: frozenset[int] | None,
    timed: Callable[[Lowered], Lowered] | None = None,
) -> Lowered:
    """The rows of a table or stream, as changes where they replace each other.

    Args:
        lowering: Makes operators.
        relation: The scan.
        upserted: See `Lowering.lower`.
        timed: Gives rows that replace each other their watermark, and may add columns; None: they have none.
    """
    if isinstance(relation, StreamScan):
        if relation.changelog and lowering.context.batch:
            raise _changes_in_batch(relation.stream)
        node = stream_rows(lowering.context.streams[relation.stream], relation, lowering.options.zone)
        below, keys, uid = Lowered(node, relation.columns, relation.changelog), relation.upserts, None
        if relation.versions and relation.changelog:
            return without_replaced(lowering, below)
    else:
        below, keys = _read(lowering, relation)
        if relation.versions and not keys:
            return without_replaced(lowering, below)
        uid = lowering.uids.of_table(relation.path, "normalize") if keys and not relation.versions else None
    if not keys or relation.versions:
        return below
    width = len(below.columns)
    below = _normalize(lowering, below if timed is None else timed(below), keys, uid, upserted)
    if width == len(relation.columns) or timed is not None:
        return below
    return lowering.select(below, relation.columns)


@lowers(Values)
def lower_values(lowering: Lowering, relation: Values, upserted: frozenset[int] | None) -> Lowered:
    """Constant rows."""
    first = len(lowering.context.builder.operators)
    source, row = CollectionSource(relation.rows), inside_row(types(relation.columns))
    stream = lowering.context.env.from_source(source, WatermarkStrategy.no_watermarks(), "Values", row)
    lowering.uids.name_sources(first)
    return Lowered(node_of(stream), relation.columns, False)


def _read(lowering: Lowering, relation: Scan) -> tuple[Lowered, tuple[int, ...]]:
    """The rows of a table as they are read, and where the columns are by which they replace each other."""
    key, changes = lowering.context.upsert_key(relation), lowering.context.has_changes(relation)
    if changes and lowering.context.batch:
        raise _changes_in_batch(".".join(relation.path))
    missing = tuple(column for column in key if column.name not in relation.names)
    if missing:
        columns = (*relation.columns, *missing)
        relation = replace(relation, wanted=tuple(column.name for column in columns), columns=columns)
    first = len(lowering.context.builder.operators)
    node = lowering.context.scan(relation)
    lowering.uids.name_sources(first, relation.path)
    places = tuple(relation.names.index(column.name) for column in key)
    return Lowered(node, relation.columns, changes or bool(key)), places


def _changes_in_batch(table: str) -> TableException:
    return TableException(
        "Querying a table in batch mode is currently only possible for INSERT-only table sources. But the source "
        f"for table '{table}' produces other changelog messages than just INSERT."
    )


def _normalize(
    lowering: Lowering, below: Lowered, keys: Sequence[int], uid: str | None, upserted: frozenset[int] | None
) -> Lowered:
    """Rows that replace each other by a key, as changes."""
    kinds = not lowering.context.batch
    node = by_columns(below, keys).then(
        ChangelogNormalize,
        f"ChangelogNormalize(key=[{', '.join(below.columns[key].name for key in keys)}])",
        before=upserted is None or not upserted <= set(keys),
        layout=rows_layout(below.columns, keys),
        ttl_ms=lowering.ttl_ms(),
        uid=lowering.uids.here() if uid is None else uid,
        output_type=inside_row(types(below.columns), kinds),
        fits=True,
    )
    return Lowered(node, below.columns, kinds)
