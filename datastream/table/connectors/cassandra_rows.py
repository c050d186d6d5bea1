"""Rows of Cassandra's tables: all of them, those of a key, and how they are written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

from datastream.connectors.cassandra import CassandraRowSink, CassandraSettings, CassandraSource
from datastream.connectors.cassandra.column_types import plain
from datastream.connectors.cassandra.connection import Connection
from datastream.connectors.cassandra.library import cassandra
from datastream.connectors.cassandra.row_sink import Table
from datastream.connectors.cassandra.selecting import select
from datastream.connectors.cassandra.statement import Query
from datastream.connectors.lookup import LookupCache
from datastream.errors import ValidationError
from datastream.io import Backoff, BatchingSink, Produced, WriterContext
from datastream.table.plan.relations import Column

from .cassandra_values import Convert, reader_of, writer_of
from .lookup import TableLookup

#: Kinds of rows that add one.
_ADDED = (0, 2)


@dataclass(frozen=True)
class CassandraTable:
    """A table of Cassandra.

    Attributes:
        settings: How the cluster is reached.
        keyspace: The table's keyspace, as Cassandra keeps it.
        name: Its name, the same.
        of: Names the table in errors.
    """

    settings: CassandraSettings
    keyspace: str
    name: str
    of: str

    @property
    def path(self) -> str:
        """Keyspace and name, as CQL writes them."""
        return f"{quoted(self.keyspace)}.{quoted(self.name)}"

    def readers(self, columns: Sequence[Column]) -> list[Convert]:
        """Functions for the values of columns."""
        return [reader_of(each.type, f"{self.of}, column '{each.name}'") for each in columns]

    def missing(self, column: str, there: Sequence[str]) -> ValidationError:
        """The error for a column that the table does not have."""
        return ValidationError(
            f"{self.of}: Cassandra's table {self.keyspace}.{self.name} has no column '{column}'; it has: "
            f"{', '.join(there)}"
        )


def quoted(name: str) -> str:
    """A name in CQL, as it is within."""
    return '"' + name.replace('"', '""') + '"'


def row_reader(readers: Sequence[Convert]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """A function: plain values of a row -> the tuple of values inside."""
    return lambda row: tuple(
        [None if value is None else read(value) for read, value in zip(readers, row, strict=False)]
    )


@dataclass(frozen=True)
class TableRows(CassandraSource):
    """Reads the rows of a table as tuples.

    Attributes:
        readers: Functions for the values; there may be fewer than columns that are read.
    """

    readers: tuple[Convert, ...] = ()

    @staticmethod
    def of(source: CassandraSource, readers: Sequence[Convert]) -> TableRows:
        """The same source, of tuples."""
        given = {each.name: getattr(source, each.name) for each in fields(source)}
        return TableRows(**given, readers=tuple(readers))

    @property
    def produced(self) -> Produced:
        return Produced()

    def record_factory(self) -> Callable[[list[Any]], Any]:
        return row_reader(self.readers)


class CassandraTableLookup(TableLookup):
    """The rows of keys in a table of Cassandra.

    Args:
        table: The table.
        keys: The columns of a key.
        columns: What is read.
        cache: What tasks keep.
        max_retries: How often a query is tried again when the cluster is away.
    """

    def __init__(
        self,
        table: CassandraTable,
        keys: Sequence[Column],
        columns: Sequence[Column],
        cache: LookupCache,
        max_retries: int,
    ) -> None:
        self._table, self._keys, self._columns = table, tuple(keys), tuple(columns)
        self.cache, self._max_retries = cache, max_retries
        self._connection: Connection | None = None

    def __getstate__(self) -> dict[str, Any]:
        names = ("_table", "_keys", "_columns", "cache", "_max_retries")
        return {**{name: self.__dict__[name] for name in names}, "_connection": None}

    def open(self) -> None:
        self._read = row_reader(self._table.readers(self._columns))
        self._connect()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it may be broken
                connection.close()

    async def fetch(self, key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        pauses = Backoff(self._max_retries).pauses_s()
        while True:
            try:
                return await self._query(key)
            except ConnectionError:
                self.close()
                pause = next(pauses, None)
                if pause is None:
                    raise
                await asyncio.sleep(pause)

    async def _query(self, key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        if self._connection is None:
            await asyncio.to_thread(self._connect)
        assert self._connection is not None
        values = [write(value) for write, value in zip(self._write, key, strict=True)]
        found = await select(self._connection, self._prepared, values)
        return [self._read(list(map(plain, row))) for row in found]

    def _connect(self) -> None:
        """Make a connection, with the query."""
        names = [each.name for each in self._columns] or [each.name for each in self._keys[:1]]
        where = " AND ".join(f"{quoted(each.name)} = ?" for each in self._keys)
        query = f"SELECT {', '.join(map(quoted, names))} FROM {self._table.path} WHERE {where}"
        connection = Connection(self._table.settings)
        try:
            prepared = connection.prepare(query)
        except ValidationError as error:
            connection.close()
            raise ValidationError(f"{self._table.of}: {error}{_hint(error)}") from None
        except BaseException:
            connection.close()
            raise
        prepared.is_idempotent = True
        kinds = [each.type.cql_parameterized_type() for each in prepared.column_metadata]
        of = self._table.of
        self._write = [
            writer_of(each.type, kind, f"{of}, column '{each.name}'")
            for each, kind in zip(self._keys, kinds, strict=True)
        ]
        self._prepared, self._connection = prepared, connection


def _hint(error: ValidationError) -> str:
    if "ALLOW FILTERING" not in str(error):
        return ""
    return "; a lookup must compare all columns of Cassandra's partition key, or one that has an index"


@dataclass(frozen=True)
class CassandraTableSink(BatchingSink):
    """Writes rows, at least once. The row of a key is made, changed or removed, so each is there once.

    Attributes:
        table: The table.
        columns: Its columns, as the rows have them.
        key: Indexes of the PRIMARY KEY's columns; empty: rows are only added.
        changes: Whether the kind of each row comes first.
        ttl_s: How long values stay, in seconds; None: as the table says.
        ignore_nulls: A NULL leaves the column alone.
        max_requests: Requests that are on their way at once.
        batch_size: Rows after which all requests are waited for.
        backoff: Tries when the cluster is away or has no room.
    """

    table: CassandraTable
    columns: tuple[Column, ...]
    key: tuple[int, ...]
    changes: bool
    ttl_s: int | None
    ignore_nulls: bool
    max_requests: int
    batch_size: int
    backoff: Backoff

    def validate(self) -> None:
        cassandra()

    def connect(self, context: WriterContext) -> _Writing:
        return _Writing(self, context)

    def write(self, connection: _Writing, records: list[Any]) -> list[Any] | None:
        return connection.write(records)


@dataclass(frozen=True)
class _RowQuery(Query):
    """A statement with values of some columns of a row.

    Attributes:
        writers: Index of a column, and the function for its values.
    """

    writers: tuple[tuple[int, Convert], ...] = ()

    def values(self, record: Any) -> Sequence[Any]:
        return [None if record[i] is None else write(record[i]) for i, write in self.writers]


class _Writing:
    """The statements of a table."""

    def __init__(self, sink: CassandraTableSink, context: WriterContext) -> None:
        self._key, self._changes = sink.key, sink.changes
        table, names = sink.table, [each.name for each in sink.columns]
        kinds = _types(sink)
        writers = [writer_of(each.type, kinds[each.name], f"{table.of}, column '{each.name}'") for each in sink.columns]
        metrics = context.metrics
        counters = metrics.counter("numBytesOut"), metrics.counter("numRecordsSendErrors")

        def statement(cql: str, columns: Sequence[int], ignore_nulls: bool) -> Table:
            query = _RowQuery(cql, ignore_nulls, tuple((i, writers[i]) for i in columns))
            return Table(CassandraRowSink(table.settings, query, max_requests=sink.max_requests), *counters)

        marks = ", ".join("?" * len(names))
        ttl = "" if sink.ttl_s is None else f" USING TTL {sink.ttl_s}"
        insert = f"INSERT INTO {table.path} ({', '.join(map(quoted, names))}) VALUES ({marks}){ttl}"
        self._added = statement(insert, range(len(names)), sink.ignore_nulls)
        self._removed: Table | None = None
        if sink.key and sink.changes:
            where = " AND ".join(f"{quoted(names[i])} = ?" for i in sink.key)
            try:
                self._removed = statement(f"DELETE FROM {table.path} WHERE {where}", sink.key, False)
            except BaseException:
                self._added.close()
                raise

    def write(self, records: list[Any]) -> list[Any] | None:
        """Write a batch; the rows that the cluster had no room for."""
        if not self._key:
            return self._added.write(records)
        last: dict[Any, tuple[bool, Any]] = {}
        for row in records:
            is_added, row = (row[0] in _ADDED, row[1:]) if self._changes else (True, row)
            last[tuple([_hashable(row[i]) for i in self._key])] = is_added, row
        left: list[Any] = []
        if self._removed is not None and (removed := [row for is_added, row in last.values() if not is_added]):
            left += [(3, *row) for row in self._removed.write(removed) or ()]
        if added := [row for is_added, row in last.values() if is_added]:
            left += [(0, *row) if self._changes else row for row in self._added.write(added) or ()]
        return left

    def close(self) -> None:
        """End the connection."""
        self._added.close()
        if self._removed is not None:
            self._removed.close()


def _hashable(value: Any) -> Any:
    """A value of a key; one of a frozen collection by its text."""
    return value if value.__hash__ is not None and not isinstance(value, tuple) else repr(value)


def _types(sink: CassandraTableSink) -> dict[str, str]:
    """The types of the columns in Cassandra.

    Raises:
        ConnectionError: The cluster is away.
        ValidationError: There is no such table or column, or its key is another one.
    """
    table = sink.table
    connection = Connection(table.settings)
    try:
        rows = connection.columns(table.keyspace, table.name)
    finally:
        connection.close()
    if not rows:
        raise ValidationError(
            f"{table.of}: Cassandra at {connection.address} has no table {table.keyspace}.{table.name}; create it with "
            "CREATE TABLE before the job starts"
        )
    kinds = {row.column_name: row.type for row in rows}
    for each in sink.columns:
        if each.name not in kinds:
            raise table.missing(each.name, list(kinds))
    key = {row.column_name for row in rows if row.kind in ("partition_key", "clustering")}
    declared = {sink.columns[i].name for i in sink.key}
    if declared and declared != key:
        raise ValidationError(
            f"{table.of}: its PRIMARY KEY ({', '.join(sorted(declared))}) must be that of Cassandra's table, "
            f"({', '.join(sorted(key))})"
        )
    return kinds
