"""The connector ``redis``: streams that are read, and keys that are written and looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from datastream.connectors import DeliveryGuarantee
from datastream.connectors.redis import RedisConnection, RedisSink, RedisStreamsSource, RedisTls
from datastream.errors import ValidationError
from datastream.table.types.logical_types import (
    ArrayType,
    BinaryType,
    DataType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, Option, Settings, TableInfo, naming
from .lookup import LOOKUP_OPTIONS, lookup_cache
from .messages import MessageConnector
from .redis_rows import KeyText, RedisTableLookup, RowCommands, TableEntries
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

    from .lookup import TableLookup

_MOST = 2**31 - 1
_NO_KEYS = (ArrayType, MapType, MultisetType, RowType, BinaryType, VarBinaryType)
METADATA: Mapping[str, DataType] = {
    "id": VarCharType(_MOST, False),
    "timestamp": LocalZonedTimestampType(3, False),
    "stream": VarCharType(_MOST, False),
}
_WITH_KEYS = ("string", "hash")


class RedisConnector(MessageConnector):
    """See the module. The content of each row, with all columns, is in a format.

    A stream is read and added to. Lists are added to. Sets, hashes and strings follow all changes; hashes and strings
    are looked up in by their PRIMARY KEY.
    """

    name = "redis"
    looks_up = True
    updates = "with 'data-type' = 'string', 'hash' or 'set'"
    options = (
        Option("url", required=True, doc="Such as 'redis://host:6379/0', or 'rediss://host' for TLS."),
        Option("username", doc="The user of the server's ACL. Default: as the URL says."),
        Option("password", doc="The password. It is never shown."),
        Option("tls.ca-file", doc="File of the authorities to trust (PEM). Default: those of the machine."),
        Option("timeout", "duration", 10_000, doc="How long connecting, and an answer, may take."),
        Option(
            "data-type",
            required=True,
            choices=("stream", "list", "set", "hash", "string"),
            doc="What rows are in the server.",
        ),
        Option("key", doc="The key of the stream, list, set or hash; of streams to read, also 'a;b'."),
        Option("key-prefix", default="", doc="What the keys of strings begin with."),
        Option(
            "key-delimiter",
            default="_",
            doc="Between the values of a PRIMARY KEY of several columns; one that is in none of them.",
        ),
        Option("field", default="value", doc="Of a stream's entries: the field that holds the content."),
        Option("format", required=True, doc="Of the content."),
        Option("scan.startup", default="earliest", doc="Where a new job begins: `earliest`, `latest`, or after an id."),
        Option("scan.bounded", "boolean", False, doc="End with what is there when the job starts."),
        Option(
            "scan.on-gap",
            default="fail",
            choices=("fail", "warn"),
            doc="When entries were removed before they were read.",
        ),
        SOURCE_PARALLELISM,
        *LOOKUP_OPTIONS,
        Option(
            "sink.delivery-guarantee",
            default="exactly-once",
            choices=("at-least-once", "exactly-once"),
            doc="Exactly once: an epoch of a task is one transaction, with a marker.",
        ),
        Option("sink.ttl", "duration", doc="How long strings stay. Default: for good."),
        Option("sink.stream.max-length", "integer", doc="About how many entries a stream keeps. Default: all."),
        SINK_PARALLELISM,
    )
    metadata = METADATA

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        kind = settings["data-type"]
        self.formatted(table, settings)
        _connection(table, settings)
        lookup_cache(settings, str(table))
        if (kind in _WITH_KEYS) != bool(table.primary_key):
            need = "needs a PRIMARY KEY" if kind in _WITH_KEYS else "cannot have a PRIMARY KEY, as nothing keeps it"
            raise ValidationError(f"{table}: a table with 'data-type' = '{kind}' {need}")
        if (kind == "string") == bool(settings["key"]):
            need = "has no option 'key', but 'key-prefix'" if kind == "string" else "needs the option 'key'"
            raise ValidationError(f"{table}: a table with 'data-type' = '{kind}' {need}")
        for option, of in (("key-prefix", "string"), ("sink.ttl", "string"), ("sink.stream.max-length", "stream")):
            if option in table.options and kind != of:
                raise ValidationError(f"{table}: the option '{option}' is for 'data-type' = '{of}'")
        for option in ("sink.ttl", "sink.stream.max-length"):
            if settings[option] is not None and settings[option] < 1:
                raise ValidationError(f"{table}: option '{option}' must be positive, got {settings[option]}")
        for name in table.primary_key:
            if isinstance(table.type_of(name), _NO_KEYS):
                raise ValidationError(
                    f"{table}: the column '{name}' of the PRIMARY KEY has the type {table.type_of(name)}, which has no "
                    "text"
                )

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        if settings["data-type"] != "stream":
            raise ValidationError(
                f"{table}: a table with 'data-type' = '{settings['data-type']}' cannot be read as a whole; "
                + ("look it up by FOR SYSTEM_TIME AS OF" if table.primary_key else "only 'stream' can")
            )
        decoder, places = self.reading(table, settings, wanted)
        with naming(table):
            source = RedisStreamsSource(
                _connection(table, settings),
                settings["key"].split(";"),
                TableEntries(decoder, places, settings["field"]),
                bounded=settings["scan.bounded"],
                start=settings["scan.startup"],
                on_gap=settings["scan.on-gap"],
            )
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def lookup(self, table: TableInfo, keys: Sequence[str], wanted: Sequence[str]) -> TableLookup:
        settings = self.settings(table)
        if not table.primary_key:
            raise ValidationError(f"{table}: only tables with 'data-type' = 'string' or 'hash' can be looked up in")
        if sorted(keys) != sorted(table.primary_key):
            raise ValidationError(
                f"{table}: it is looked up by its PRIMARY KEY ({', '.join(table.primary_key)}) alone, and the join "
                f"compares {', '.join(keys)}"
            )
        if metadata := [name for name in wanted if name in table.metadata]:
            raise ValidationError(f"{table}: a lookup has no metadata, and '{metadata[0]}' is a metadata column")
        form, layout, options = self.formatted(table, settings)
        command = ("HGET", settings["key"]) if settings["data-type"] == "hash" else ("GET",)
        text = _key_text(table, settings, keys)
        decoder = form.decoder(layout, wanted, options)
        cache = lookup_cache(settings, str(table))
        return RedisTableLookup(_connection(table, settings), command, text, decoder, cache)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        form, layout, options = self.formatted(table, settings)
        if settings["data-type"] == "stream" and ";" in settings["key"]:
            raise ValidationError(f"{table}: option 'key': one stream can be written to, got '{settings['key']}'")
        commands = RowCommands(
            settings["data-type"],
            form.encoder(layout, options),
            updates,
            settings["key"] or "",
            _key_text(table, settings, layout.names),
            settings["field"],
            settings["sink.ttl"],
            settings["sink.stream.max-length"],
        )
        guarantee = DeliveryGuarantee[settings["sink.delivery-guarantee"].upper().replace("-", "_")]
        return self.written(stream, RedisSink(_connection(table, settings), commands, guarantee), settings, name)

    def takes_updates(self, table: TableInfo) -> bool:
        return table.options.get("data-type") in (*_WITH_KEYS, "set")

    def needs_update_before(self, table: TableInfo) -> bool:
        return not table.primary_key


def _connection(table: TableInfo, settings: Settings) -> RedisConnection:
    tls = None if settings["tls.ca-file"] is None else RedisTls(settings["tls.ca-file"])
    retries = settings["lookup.max-retries"]
    with naming(table):
        return RedisConnection.of_url(
            settings["url"], settings["username"], settings["password"], tls, settings["timeout"], retries
        )


def _key_text(table: TableInfo, settings: Settings, names: Sequence[str]) -> KeyText:
    """Makes the key of tuples of some columns."""
    columns = [(list(names).index(each), table.type_of(each)) for each in table.primary_key]
    return KeyText(columns, settings["key-delimiter"], settings["key-prefix"])
