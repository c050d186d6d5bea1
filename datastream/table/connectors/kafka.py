"""The connector ``kafka``: topics, whose records are rows that are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from datastream.errors import ValidationError
from datastream.table.types.logical_types import (
    BigIntType,
    DataType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    VarBinaryType,
    VarCharType,
)

from .connector import SOURCE_PARALLELISM, Option, Settings, TableConnector, TableInfo
from .formats.changes import CHANGES, ChangeFormat
from .kafka_columns import FORMAT_OPTIONS, Part, decoder, key_part, options_of_formats, value_format, value_part
from .kafka_reading import TableDeserializer, column_sources
from .kafka_sink import SINK_OPTIONS, kafka_sink
from .kafka_source import OPTIONS, SCAN_OPTIONS, kafka_source
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_MOST = 2**31 - 1
METADATA: Mapping[str, DataType] = {
    "topic": VarCharType(_MOST, False),
    "partition": IntType(False),
    "headers": MapType(VarCharType(_MOST, False), VarBinaryType(_MOST, True), False),
    "offset": BigIntType(False),
    "timestamp": LocalZonedTimestampType(3, False),
    "timestamp-type": VarCharType(_MOST, False),
}
WRITABLE = ("topic", "headers", "timestamp")


class KafkaConnector(TableConnector):
    """See the module. Only new rows can be written, but by formats of changes; ``upsert-kafka`` takes updates.

    A record without a value is no row. Of a record without a key the columns of the key are NULL. Of several headers of
    one name the last one counts.
    """

    name = "kafka"
    updates = CHANGES
    options = (*OPTIONS, *SCAN_OPTIONS, *FORMAT_OPTIONS, *SINK_OPTIONS, SOURCE_PARALLELISM)
    metadata = METADATA
    writable_metadata = WRITABLE

    def options_of(self, table: TableInfo) -> tuple[Option, ...]:
        return (*super().options_of(table), *options_of_formats(table))

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        value, _ = self._parts(table, settings)
        if table.primary_key and not value.has_changes:
            raise ValidationError(
                f"{table}: a table of the connector 'kafka' with the format '{value.form.name}' cannot have a PRIMARY "
                "KEY, as nothing keeps it; leave it out, or use the connector 'upsert-kafka'"
            )

    def _parts(self, table: TableInfo, settings: Settings) -> tuple[Part, Part | None]:
        keys = tuple(settings["key.fields"])
        return value_part(table, settings, keys), key_part(table, settings, keys)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        value, key = self._parts(table, settings)
        of_value = [name for name in wanted if name in value.names]
        of_key = [] if key is None else [n for n in wanted if n in key.names and n not in value.names]
        of_format = [each for name in wanted if (each := self._format_key(table, name)) is not None]
        columns = column_sources(self, table, wanted, of_value, of_key, of_format)
        read_key = decoder(key, of_key) if key is not None and of_key else None
        reader = TableDeserializer(decoder(value, of_value, of_format), read_key, columns)
        source = kafka_source(table, settings, reader)
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"], value.has_changes)

    def skips(self, table: TableInfo, kind: DataType) -> bool:
        value, _ = self._parts(table, self.settings(table))
        return value.form.skips(kind, value.options)

    def has_changes(self, table: TableInfo) -> bool:
        return _has_changes(table)

    def takes_updates(self, table: TableInfo) -> bool:
        return _has_changes(table)

    def metadata_type(self, key: str, table: TableInfo) -> DataType:
        of_format = _format_metadata(table)
        return of_format[key] if key in of_format else super().metadata_type(key, table)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        return self.written(stream, kafka_sink(table, settings, *self._parts(table, settings), updates), settings, name)

    @staticmethod
    def _format_key(table: TableInfo, name: str) -> str | None:
        """The key of the metadata of the values' format that a column is; None: it is something else."""
        key = table.metadata.get(name)
        return key if key is not None and key in _format_metadata(table) else None


def _has_changes(table: TableInfo) -> bool:
    return isinstance(value_format(table), ChangeFormat)


def _format_metadata(table: TableInfo) -> Mapping[str, DataType]:
    form = value_format(table)
    return {f"value.{key}": kind for key, kind in form.metadata.items()} if isinstance(form, ChangeFormat) else {}
