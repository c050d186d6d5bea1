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

from .connector import SOURCE_PARALLELISM, Option, Settings, TableConnector, TableInfo, check_written, no_updates
from .kafka_columns import FORMAT_OPTIONS, Part, decoder, key_part, options_of_formats, value_part
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
    """See the module. Only new rows can be written; ``upsert-kafka`` takes updates.

    A record without a value is no row. Of a record without a key the columns of the key are NULL. Of several headers of
    one name the last one counts.
    """

    name = "kafka"
    options = (*OPTIONS, *SCAN_OPTIONS, *FORMAT_OPTIONS, *SINK_OPTIONS, SOURCE_PARALLELISM)
    metadata = METADATA
    writable_metadata = WRITABLE

    def options_of(self, table: TableInfo) -> tuple[Option, ...]:
        return (*super().options_of(table), *options_of_formats(table))

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        self._parts(table, settings)
        if table.primary_key:
            form = settings["value.format"] or settings["format"]
            raise ValidationError(
                f"{table}: a table of the connector 'kafka' with the format '{form}' cannot have a PRIMARY KEY, as "
                "nothing keeps it; leave it out, or use the connector 'upsert-kafka'"
            )

    def _parts(self, table: TableInfo, settings: Settings) -> tuple[Part, Part | None]:
        keys = tuple(settings["key.fields"])
        return value_part(table, settings, keys), key_part(table, settings, keys)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        self.check(table)
        settings = self.settings(table)
        value, key = self._parts(table, settings)
        of_value = [name for name in wanted if name in value.names]
        of_key = [] if key is None else [n for n in wanted if n in key.names and n not in value.names]
        columns = column_sources(self, table, wanted, of_value, of_key)
        read_key = decoder(key, of_key) if key is not None and of_key else None
        source = kafka_source(table, settings, TableDeserializer(decoder(value, of_value), read_key, columns))
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        if updates:
            raise no_updates(self.name, table, "; use the connector 'upsert-kafka' for a table with a PRIMARY KEY")
        self.check(table)
        check_written(self, table)
        settings = self.settings(table)
        written = stream.sink_to(kafka_sink(table, settings, *self._parts(table, settings), False)).name(name)
        if settings["sink.parallelism"] is not None:
            written.set_parallelism(settings["sink.parallelism"])
        return written
