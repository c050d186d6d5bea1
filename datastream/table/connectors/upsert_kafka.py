"""The connector ``upsert-kafka``: topics whose records are the last row of each key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datastream.errors import ValidationError

from .connector import SOURCE_PARALLELISM, Option, Settings, TableConnector, TableInfo
from .kafka import METADATA, WRITABLE
from .kafka_columns import FORMAT_OPTIONS, Part, decoder, key_part, options_of_formats, value_part
from .kafka_reading import Source, TableDeserializer, column_sources
from .kafka_sink import SINK_OPTIONS, kafka_sink
from .kafka_source import OPTIONS, SCAN_OPTIONS, kafka_source
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_INSTEAD = {
    "format": "set 'key.format' and 'value.format'",
    "key.fields": "the PRIMARY KEY is the key",
    "scan.startup.mode": "topics are read from their begin",
    "topic-pattern": "set 'topic'",
}
_WITHOUT = ("format", "key.fields", "topic-pattern", "scan.startup.mode", "scan.startup.specific-offsets")


class UpsertKafkaConnector(TableConnector):
    """See the module. The key is the PRIMARY KEY; a row that is deleted is a record without a value.

    Topics are read from their begin.
    """

    name = "upsert-kafka"
    updates = ""
    options = (
        *(each for each in (*OPTIONS, *SCAN_OPTIONS, *FORMAT_OPTIONS, *SINK_OPTIONS) if each.name not in _WITHOUT),
        Option("sink.buffer-flush.max-rows", "integer", 0, doc="Has no effect: an epoch is written at once."),
        Option("sink.buffer-flush.interval", "duration", 0, doc="Has no effect."),
        SOURCE_PARALLELISM,
    )
    metadata = METADATA
    writable_metadata = WRITABLE

    def options_of(self, table: TableInfo) -> tuple[Option, ...]:
        hidden = (
            *(Option("format"), Option("key.fields", "list", ()), Option("topic-pattern")),
            Option("scan.startup.mode", default="earliest-offset"),
        )
        return (*super().options_of(table), *options_of_formats(table), *hidden)

    def check(self, table: TableInfo) -> None:
        for name, instead in _INSTEAD.items():
            if name in table.options:
                raise ValidationError(f"{table}: the connector 'upsert-kafka' has no option '{name}': {instead}")
        if not table.primary_key:
            raise ValidationError(
                f"{table}: the connector 'upsert-kafka' needs a PRIMARY KEY, such as PRIMARY KEY (id) NOT ENFORCED"
            )
        for name in ("key.format", "value.format"):
            if name not in table.options:
                raise ValidationError(f"{table}: the option '{name}' is missing")
        value, _ = self._parts(table, self.settings(table))
        if value.has_changes:
            raise ValidationError(
                f"{table}: the connector 'upsert-kafka' takes formats of rows alone, and the messages of "
                f"'{value.form.name}' are changes: use the connector 'kafka'"
            )

    def _parts(self, table: TableInfo, settings: Settings) -> tuple[Part, Part | None]:
        return value_part(table, settings, table.primary_key), key_part(table, settings, table.primary_key)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        value, key = self._parts(table, settings)
        assert key is not None
        of_value = [name for name in wanted if name in value.names]
        columns = column_sources(self, table, wanted, of_value, key.names)
        deleted = [
            Source("key", key.names.index(name)) if name in key.names else column if column.kind == "metadata" else None
            for name, column in zip(wanted, columns, strict=True)
        ]
        reader = TableDeserializer(decoder(value, of_value), decoder(key, key.names), columns, deleted)
        source = kafka_source(table, settings, reader)
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"], updates=True)

    def upsert_key(self, table: TableInfo) -> tuple[str, ...]:
        return table.primary_key

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        value, key = self._parts(table, settings)
        return self.written(stream, kafka_sink(table, settings, value, key, updates, upserts=True), settings, name)

    def takes_updates(self, table: TableInfo) -> bool:
        return True

    def needs_update_before(self, table: TableInfo) -> bool:
        return False
