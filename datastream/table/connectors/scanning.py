"""The stream of a table's source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datastream.io import Source
from datastream.table.codegen.inside_types import inside_row
from datastream.table.types.logical_types import DataType
from datastream.time import WatermarkStrategy

from .connector import TableConnector, TableInfo
from .dropping import without_dropped
from .limiting import LimitedSource

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment


def scanned(
    env: StreamExecutionEnvironment,
    source: Source,
    connector: TableConnector,
    table: TableInfo,
    wanted: Sequence[str],
    parallelism: int | None,
    updates: bool = False,
) -> DataStream:
    """The stream of a source that gives tuples of the wanted columns.

    Args:
        env: Where it is added.
        source: The source; its dead letters are dropped.
        connector: Knows the types of metadata.
        table: The table.
        wanted: The columns.
        parallelism: Number of tasks; None: the environment's.
        updates: Tuples have their kind in front.
    """
    kinds = [column_type(connector, table, name) for name in wanted]
    row = inside_row(kinds, updates)
    read = without_dropped(source)
    if table.limit is not None:
        read = LimitedSource(read, table.limit)
    stream = env.from_source(read, WatermarkStrategy.no_watermarks(), str(table), row)
    return stream if parallelism is None else stream.set_parallelism(parallelism)


def column_type(connector: TableConnector, table: TableInfo, name: str) -> DataType:
    """The type of the values that the connector gives for a physical or metadata column.

    Raises:
        ValidationError: the connector does not have such metadata.
    """
    if name in table.metadata:
        return connector.metadata_type(table.metadata[name], table)
    return table.type_of(name)
