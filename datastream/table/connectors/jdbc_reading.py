"""Rows of a database's table: all of them, and those of a key."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

from datastream.connectors.jdbc import JdbcConnectionOptions
from datastream.connectors.jdbc.dialects import Dialect, dialect_of
from datastream.connectors.jdbc.dialects.base import first_line
from datastream.connectors.lookup import LookupCache
from datastream.io import Backoff, NumberedSource
from datastream.table.plan.relations import Column

from .jdbc_values import reader_of, writer_of
from .lookup import TableLookup

#: How many lookups of a task run at a time, each by a connection of its own.
_CONNECTIONS = 4


@dataclass(frozen=True)
class JdbcTable:
    """A table of a database.

    Attributes:
        options: How the database is reached.
        name: The table's.
        of: Names the table in errors.
        zone: The session's time zone.
    """

    options: JdbcConnectionOptions
    name: str
    of: str
    zone: str

    @property
    def dialect(self) -> Dialect:
        """What is particular to the database."""
        return dialect_of(self.options)

    def select(self, columns: Sequence[str], rest: str = "") -> str:
        """A query of some columns."""
        names = ", ".join(map(self.dialect.quoted, columns)) or "1"
        return f"SELECT {names} FROM {self.dialect.quoted_path(self.name)}{rest}"

    def readers(self, columns: Sequence[Column]) -> list[Any]:
        """Functions for the values of columns."""
        return [reader_of(each.type, self.zone, f"{self.of}, column '{each.name}'") for each in columns]


def rows_read(rows: Sequence[Sequence[Any]], readers: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Rows of a driver as tuples of values inside."""
    return [
        tuple(None if value is None else read(value) for value, read in zip(row, readers, strict=False)) for row in rows
    ]


class JdbcRows(NumberedSource):
    """The rows that a table has when the job starts, in order of a key or of all columns.

    An epoch that runs again reads the same rows as long as the table does not change.

    Args:
        table: The table.
        columns: What is read.
        order: Names of the columns of the order.
        fetch_size: Rows that are fetched at once.
    """

    grows = False
    most_splits = 1

    def __init__(self, table: JdbcTable, columns: Sequence[Column], order: Sequence[str], fetch_size: int) -> None:
        self._table, self._columns, self._order, self._size = table, tuple(columns), tuple(order), fetch_size

    def end(self) -> int:
        (((count,),),) = (self._asked(f"SELECT COUNT(*) FROM {self._table.dialect.quoted_path(self._table.name)}", 1),)
        return int(count)

    def read(self, start: int, end: int) -> Iterator[list[Any]]:
        readers, quoted = self._table.readers(self._columns), self._table.dialect.quoted
        for low in range(start, end, self._size):
            count = min(self._size, end - low)
            order = f" ORDER BY {', '.join(map(quoted, self._order))} LIMIT {count} OFFSET {low}"
            rows = self._asked(self._table.select([each.name for each in self._columns], order), count)
            yield rows_read(rows, readers) if self._columns else [()] * len(rows)

    def _asked(self, sql: str, count: int) -> list[Any]:
        dialect = self._table.dialect
        with closing(dialect.connect()) as connection, dialect.away(), closing(connection.cursor()) as cursor:
            cursor.execute(sql)
            found: list[Any] = cursor.fetchmany(count)
            return found


class JdbcLookup(TableLookup):
    """The rows of keys in a table of a database.

    Args:
        table: The table.
        keys: The columns of a key.
        columns: What is read.
        cache: What tasks keep.
        max_retries: How often a query is tried again that failed.
    """

    def __init__(
        self, table: JdbcTable, keys: Sequence[Column], columns: Sequence[Column], cache: LookupCache, max_retries: int
    ) -> None:
        self._table, self._keys, self._columns = table, tuple(keys), tuple(columns)
        self.cache, self._max_retries = cache, max_retries

    def open(self) -> None:
        self._dialect = dialect = self._table.dialect
        self._read = self._table.readers(self._columns)
        self._write = [
            writer_of(each.type, self._table.zone, f"{self._table.of}, '{each.name}'") for each in self._keys
        ]
        same = " AND ".join(f"{dialect.quoted(each.name)} = {dialect.parameter}" for each in self._keys)
        self._sql = self._table.select([each.name for each in self._columns], f" WHERE {same}")
        self._threads = ThreadPoolExecutor(_CONNECTIONS, "jdbc-lookup")
        self._of_thread = threading.local()
        self._open: list[Any] = []

    def close(self) -> None:
        if not hasattr(self, "_threads"):
            return
        self._threads.shutdown(wait=True, cancel_futures=True)
        for connection in self._open:
            with suppress(Exception):  # it may be broken
                connection.close()
        self._open.clear()

    async def fetch(self, key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        parameters = tuple(self._dialect.value(write(value)) for value, write in zip(key, self._write, strict=True))
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, parameters)

    def _ask(self, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        pauses = Backoff(self._max_retries).pauses_s()
        while True:
            try:
                return self._query(parameters)
            except ConnectionError:
                self._drop()
                pause = next(pauses, None)
                if pause is None:
                    raise
                time.sleep(pause)

    def _drop(self) -> None:
        """Leave the connection of this thread."""
        connection, self._of_thread.connection = getattr(self._of_thread, "connection", None), None
        if connection is not None:
            self._open.remove(connection)
            with suppress(Exception):  # it may be broken
                connection.close()

    def _query(self, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        connection = getattr(self._of_thread, "connection", None)
        if connection is None:
            self._of_thread.connection = None
            connection = self._of_thread.connection = self._dialect.connect()
            self._open.append(connection)
        with self._dialect.away(), closing(connection.cursor()) as cursor:
            try:
                cursor.execute(self._sql, parameters)
                found = cursor.fetchall()
            except ConnectionError:
                raise
            except Exception as error:
                if self._dialect.is_away(error):
                    raise
                raise RuntimeError(f"{self._dialect.shown()}: {first_line(error)}") from None
            finally:
                with suppress(Exception):  # it may be broken
                    connection.rollback()
        return rows_read(found, self._read) if self._columns else [()] * len(found)

    def __getstate__(self) -> dict[str, Any]:
        names = ("_table", "_keys", "_columns", "cache", "_max_retries")
        return {name: getattr(self, name) for name in names}
