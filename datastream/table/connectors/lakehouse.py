"""What connectors have in common whose tables are versions of files: ``delta`` and ``iceberg``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.io import Predicate, Sink, Source
from datastream.table.codegen.inside_types import inside_row
from datastream.table.types.logical_types import is_nullable
from datastream.table.types.row_type import RowField, RowType

from .connector import KeyedConnector, Settings, TableInfo, naming
from .formats.bulk import leaves_out, python_values
from .formats.engine_rows import Conversion, inside_tuples, python_tuples
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink


class LakehouseConnector(KeyedConnector):
    """See the module. Files are left out by what the table says of their rows."""

    @abstractmethod
    def source(self, table: TableInfo, settings: Settings, **reading: Any) -> Source:
        """The source of a table.

        Args:
            table: Which table.
            settings: The table's.
            reading: Settings of `ReadSettings`: the rows, and what becomes of them.
        """

    @abstractmethod
    def table_sink(self, table: TableInfo, settings: Settings, updates: bool, **writing: Any) -> Sink:
        """The sink of a table.

        Args:
            table: Which table.
            settings: The table's.
            updates: As of `sink`.
            writing: Settings of `WriteSettings`: the rows, and how they are made.
        """

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        if table.metadata:
            raise ValidationError(f"{table}: the connector '{self.name}' has no metadata")
        settings = self.settings(table)
        kind = _kind(table, list(wanted) or [table.columns[0].name])
        source = self.source(
            table,
            settings,
            row_type=kind.to_type_info(),
            wanted=bool(wanted),
            to_records=Conversion(inside_tuples, kind),
            record_type=inside_row([table.type_of(name) for name in wanted]),
            predicates=tuple(python_values(each, table.type_of(each.column)) for each in table.predicates),
        )
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def takes(self, table: TableInfo, predicate: Predicate) -> bool:
        return leaves_out("parquet", table.type_of(predicate.column))

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        kind = _kind(table, [column.name for column in table.columns])
        required = tuple(column.name for column in table.columns if not is_nullable(column.type))
        with naming(table):
            sink = self.table_sink(
                table,
                settings,
                updates,
                row_type=kind.to_type_info(),
                required=required,
                to_tuples=Conversion(python_tuples, kind),
            )
        return self.written(stream, sink, settings, name)


def _kind(table: TableInfo, names: Sequence[str]) -> RowType:
    return RowType([RowField(name, table.type_of(name)) for name in names])
