"""The connector ``cassandra``: tables of Cassandra, read as a whole, looked up in and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datastream.connectors.cassandra import CassandraSettings, CassandraSource, ConsistencyLevel
from datastream.errors import ValidationError
from datastream.io import Backoff
from datastream.table.plan.relations import Column

from .cassandra_rows import CassandraTable, CassandraTableLookup, CassandraTableSink, TableRows
from .cassandra_values import check_written as check_type
from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, KeyedConnector, Option, Settings, TableInfo, naming
from .lookup import LOOKUP_OPTIONS, lookup_cache
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

    from .lookup import TableLookup

_LEVELS = tuple(level.name for level in ConsistencyLevel)
_POSITIVE = ("scan.fetch-size", "sink.max-concurrent-requests", "sink.buffer-flush.max-rows")


class CassandraConnector(KeyedConnector):
    """See the module.

    All tasks read, each ranges of tokens, so rows have no order. Rows are written at least once; with a PRIMARY KEY the
    row of a key is made, changed or removed.
    """

    name = "cassandra"
    looks_up = True
    options = (
        Option("hosts", "list", required=True, doc="Some nodes: 'a;b'. The others are found through them."),
        Option("port", "integer", 9042, doc="Of all nodes."),
        Option("keyspace", required=True, doc="The table's keyspace."),
        Option("table-name", required=True, doc="The table's name in Cassandra."),
        Option("username", doc="The user. Default: the cluster lets everybody in."),
        Option("password", doc="The password. It is never shown."),
        Option("tls.ca-file", doc="File of the authorities to trust (PEM): connects by TLS."),
        Option("datacenter", doc="The data center to talk to. Default: that of the first node that answers."),
        Option(
            "consistency",
            default="LOCAL_QUORUM",
            choices=_LEVELS,
            doc="How many replicas must take a write or answer a read.",
        ),
        Option("protocol-version", "integer", 5, doc="Of Cassandra's protocol: 5 since Cassandra 4, 4 before."),
        Option("connect.timeout", "duration", 5_000, doc="How long a node may take to accept a connection."),
        Option("request.timeout", "duration", 20_000, doc="How long a request may take."),
        Option("scan.fetch-size", "integer", 5_000, doc="Rows of a page."),
        SOURCE_PARALLELISM,
        *LOOKUP_OPTIONS,
        Option("sink.ttl", "duration", doc="How long values stay, in whole seconds. Default: as the table says."),
        Option("sink.ignore-null-values", "boolean", False, doc="A NULL leaves the column as it is."),
        Option("sink.max-concurrent-requests", "integer", 64, doc="Requests of a task that are on their way at once."),
        Option("sink.buffer-flush.max-rows", "integer", 5_000, doc="Rows after which a task waits for its requests."),
        Option("sink.max-retries", "integer", 8, doc="Tries when the cluster is away or has no room."),
        SINK_PARALLELISM,
    )

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        for name in _POSITIVE:
            if settings[name] < 1:
                raise ValidationError(f"{table}: the value of '{name}' must be positive, got {settings[name]}")
        for name in ("lookup.max-retries", "sink.max-retries"):
            if settings[name] < 0:
                raise ValidationError(f"{table}: the value of '{name}' must not be negative, got {settings[name]}")
        if settings["sink.ttl"] is not None and settings["sink.ttl"] < 1_000:
            raise ValidationError(f"{table}: the value of 'sink.ttl' must be a second at least")
        for each in table.columns:
            check_type(each.type, f"{table}, column '{each.name}'")
        lookup_cache(settings, str(table))
        _table(table, settings)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        of, columns = _table(table, settings), _columns(table, wanted)
        builder = CassandraSource.builder().set_cluster_builder(of.settings).set_table(of.path)
        builder.set_page_size(settings["scan.fetch-size"])
        # Where no column is wanted, rows are counted: by one that each of them has.
        names = [each.name for each in columns] or [*table.primary_key, *(each.name for each in table.columns)][:1]
        with naming(table):
            source = builder.set_columns(*names).build()
        rows = TableRows.of(source, of.readers(columns))
        return scanned(env, rows, self, table, wanted, settings["scan.parallelism"])

    def lookup(self, table: TableInfo, keys: Sequence[str], wanted: Sequence[str]) -> TableLookup:
        settings = self.settings(table)
        of, cache = _table(table, settings), lookup_cache(settings, str(table))
        return CassandraTableLookup(
            of, _columns(table, keys), _columns(table, wanted), cache, settings["lookup.max-retries"]
        )

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        names = [each.name for each in table.columns]
        ttl = settings["sink.ttl"]
        sink = CassandraTableSink(
            _table(table, settings),
            table.columns,
            tuple(names.index(each) for each in table.primary_key),
            updates,
            None if ttl is None else ttl // 1_000,
            settings["sink.ignore-null-values"],
            settings["sink.max-concurrent-requests"],
            settings["sink.buffer-flush.max-rows"],
            Backoff(settings["sink.max-retries"]),
        )
        return self.written(stream, sink, settings, name)


def _table(table: TableInfo, settings: Settings) -> CassandraTable:
    try:
        reached = CassandraSettings(
            tuple(settings["hosts"]),
            settings["port"],
            settings["username"],
            settings["password"],
            settings["keyspace"],
            settings["datacenter"],
            ConsistencyLevel[settings["consistency"]],
            settings["tls.ca-file"],
            settings["protocol-version"],
            settings["connect.timeout"],
            settings["request.timeout"],
        )
    except ValidationError as error:
        raise ValidationError(f"{table}: {str(error).removeprefix('CassandraSettings: ')}") from None
    for option in ("keyspace", "table-name"):
        if not settings[option] or '"' in settings[option]:
            raise ValidationError(f"{table}: option '{option}': expected a name, got {settings[option]!r}")
    return CassandraTable(reached, settings["keyspace"], settings["table-name"], str(table))


def _columns(table: TableInfo, names: Sequence[str]) -> list[Column]:
    by_name = {column.name: column for column in table.columns}
    if unknown := [name for name in names if name not in by_name]:
        raise ValidationError(
            f"{table}: the connector 'cassandra' has no metadata, and '{unknown[0]}' is a metadata column"
        )
    return [by_name[name] for name in names]
