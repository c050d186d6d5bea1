"""The connector ``jdbc``: tables of databases, read as a whole, looked up in and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions
from datastream.connectors.jdbc.dialects import dialect_of
from datastream.errors import ValidationError, cut
from datastream.io import Predicate
from datastream.table.functions.types import WHOLE
from datastream.table.plan.relations import Column

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, KeyedConnector, Option, Settings, TableInfo
from .jdbc_conditions import takes, where
from .jdbc_reading import JdbcLookup, JdbcRows, JdbcTable, Ranges
from .jdbc_values import writer_of
from .jdbc_writing import JdbcTableSink
from .lookup import LOOKUP_OPTIONS, lookup_cache
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

    from .lookup import TableLookup

_DRIVER = "Of Java's driver; has no effect: the URL says which database it is."


class JdbcConnector(KeyedConnector):
    """See the module. PostgreSQL, MySQL, MariaDB and SQLite.

    The rows that the table has when the job starts are read by one task, in order of the PRIMARY KEY or of all columns;
    with ``scan.partition.*`` in ranges, by several. Rows are written at least once; with a PRIMARY KEY the row of a key
    is made, changed or removed.

    The database tests conditions that compare a column with constants: of whole numbers, dates and timestamps, and
    ``=`` and ``IN`` of texts. SQLite does so with texts alone.
    """

    name = "jdbc"
    looks_up = True
    options = (
        Option("url", required=True, doc="Such as 'jdbc:postgresql://host:5432/shop' or 'jdbc:sqlite:/data/shop.db'."),
        Option("table-name", required=True, doc="The table's name in the database."),
        Option("driver", doc=_DRIVER),
        Option("username", doc="The user. Default: as the URL says."),
        Option("password", doc="The password. It is never shown."),
        Option("connection.max-retry-timeout", "duration", 60_000, doc="Has no effect."),
        Option("scan.partition.column", doc="A column of whole numbers: ranges of it are read in parallel."),
        Option("scan.partition.num", "integer", doc="How many ranges."),
        Option("scan.partition.lower-bound", "integer", doc="The first value: rows below it are not read."),
        Option("scan.partition.upper-bound", "integer", doc="The last value: rows above it are not read."),
        Option("scan.fetch-size", "integer", 4096, doc="Rows that are fetched at once."),
        Option("scan.auto-commit", "boolean", True, doc="Has no effect."),
        SOURCE_PARALLELISM,
        *LOOKUP_OPTIONS,
        Option("sink.buffer-flush.max-rows", "integer", 5000, doc="Rows of a transaction; 0: all of an epoch."),
        Option("sink.buffer-flush.interval", "duration", 0, doc="Longest time of a transaction; 0: until it is full."),
        Option("sink.max-retries", "integer", 3, doc="Tries of a transaction when the database is away."),
        SINK_PARALLELISM,
    )

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        if (settings["username"] is None) != (settings["password"] is None):
            raise ValidationError(f"{table}: either all or none of the options 'username' and 'password' must be set")
        if settings["lookup.max-retries"] < 0:
            raise ValidationError(
                f"{table}: the value of 'lookup.max-retries' must not be negative, got {settings['lookup.max-retries']}"
            )
        for name in ("sink.buffer-flush.max-rows", "sink.max-retries"):
            if settings[name] < 0:
                raise ValidationError(f"{table}: the value of '{name}' must not be negative, got {settings[name]}")
        lookup_cache(settings, str(table))
        _ranges(table, settings)
        dialect_of(_connection(settings)).check()

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        source = _table(table, settings)
        columns = _columns(table, wanted)
        source.readers(columns)
        order = table.primary_key or [each.name for each in table.columns]
        conditions = where(table.predicates, table.columns, source.dialect)
        size = max(settings["scan.fetch-size"], 1)
        rows = JdbcRows(source, columns, order, size, conditions, _ranges(table, settings), table.limit)
        return scanned(env, rows, self, table, wanted, settings["scan.parallelism"])

    def takes(self, table: TableInfo, predicate: Predicate) -> bool:
        dialect = dialect_of(_connection(self.settings(table)))
        return takes(table.type_of(predicate.column), predicate, dialect)

    def lookup(self, table: TableInfo, keys: Sequence[str], wanted: Sequence[str]) -> TableLookup:
        settings = self.settings(table)
        source, columns = _table(table, settings), _columns(table, wanted)
        source.readers([*columns, *_columns(table, keys)])
        cache = lookup_cache(settings, str(table))
        return JdbcLookup(source, _columns(table, keys), columns, cache, settings["lookup.max-retries"])

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        names = [each.name for each in table.columns]
        execution = JdbcExecutionOptions(
            settings["sink.buffer-flush.interval"], settings["sink.buffer-flush.max-rows"], settings["sink.max-retries"]
        )
        for each in table.columns:
            writer_of(each.type, "UTC", f"{table}, column '{each.name}'")
        key = tuple(names.index(each) for each in table.primary_key)
        sink = JdbcTableSink(_table(table, settings), table.columns, key, updates, execution)
        return self.written(stream, sink, settings, name)


def _connection(settings: Settings) -> JdbcConnectionOptions:
    return JdbcConnectionOptions(settings["url"], settings["driver"], settings["username"], settings["password"])


def _table(table: TableInfo, settings: Settings) -> JdbcTable:
    return JdbcTable(_connection(settings), settings["table-name"], str(table), "UTC")


def _ranges(table: TableInfo, settings: Settings) -> Ranges | None:
    """The ranges that the table is read in; None: it is read as a whole.

    Raises:
        ValidationError: The options of ranges contradict each other.
    """
    names = [f"scan.partition.{name}" for name in ("column", "num", "lower-bound", "upper-bound")]
    column, count, lowest, highest = (settings[name] for name in names)
    missing = [name for name in names if settings[name] is None]
    if len(missing) == len(names):
        return None
    if missing:
        raise ValidationError(f"{table}: either all or none of the options {', '.join(names)} must be set")
    if not any(each.name == column and isinstance(each.type, WHOLE) for each in table.columns):
        raise ValidationError(f"{table}: '{names[0]}' must name a column of whole numbers, got {cut(column)}")
    if count < 1:
        raise ValidationError(f"{table}: the value of '{names[1]}' must be positive, got {count}")
    if lowest > highest:
        raise ValidationError(f"{table}: '{names[2]}' {lowest} must not be larger than '{names[3]}' {highest}")
    return Ranges(column, count, lowest, highest)


def _columns(table: TableInfo, names: Sequence[str]) -> list[Column]:
    by_name = {column.name: column for column in table.columns}
    if unknown := [name for name in names if name not in by_name]:
        raise ValidationError(f"{table}: the connector 'jdbc' has no metadata, and '{unknown[0]}' is a metadata column")
    return [by_name[name] for name in names]
