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
from datastream.connectors.jdbc.statement import parse
from datastream.connectors.lookup import LookupCache
from datastream.errors import ValidationError
from datastream.io import Backoff, Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.io.ranges import cut
from datastream.table.plan.relations import Column

from .jdbc_conditions import Where
from .jdbc_values import read_column, reader_of, writer_of
from .lookup import TableLookup

#: How many lookups of a task run at a time, each by a connection of its own.
_CONNECTIONS = 4
#: How many keys one query asks for: the 100 lookups that run at a time have all connections. For SQLite a key takes
#: a sixth of the time that it takes alone, with more keys the same.
_MOST_KEYS = 25


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
    columns = [read_column(values, read) for values, read in zip(zip(*rows, strict=True), readers, strict=False)]
    return list(zip(*columns, strict=True))


@dataclass(frozen=True)
class Ranges:
    """Ranges of a column's whole numbers, from `lowest` to `highest`, that are read by themselves.

    Attributes:
        column: The column.
        count: How many ranges.
        lowest: The first value that is read.
        highest: The last one.
    """

    column: str
    count: int
    lowest: int
    highest: int

    def bounds(self) -> list[tuple[int, int]]:
        """The first and last value of each range; there are fewer ranges where there are fewer values."""
        return [(low, high - 1) for low, high in cut(self.lowest, self.highest + 1, self.count)]


class JdbcRows(Source):
    """The rows that a table has when the job starts, in order of a key or of all columns; of each range, with ranges.

    An epoch that runs again reads the same rows as long as the table does not change.

    Args:
        table: The table.
        columns: What is read.
        order: Names of the columns of the order.
        fetch_size: Rows that are fetched at once.
        where: Which rows. Default: all.
        ranges: Their rows alone are read, and each range by one task. Default: there are none, and one task reads.
        limit: Without ranges, how many rows are read; None: all.
    """

    grows = False

    def __init__(
        self,
        table: JdbcTable,
        columns: Sequence[Column],
        order: Sequence[str],
        fetch_size: int,
        where: Where | None = None,
        ranges: Ranges | None = None,
        limit: int | None = None,
    ) -> None:
        self._table, self._columns, self._size = table, tuple(columns), fetch_size
        self._order, self._where = tuple(order), where or Where()
        self.ranges, self._limit = ranges, limit

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Enumerator(self, context.parallelism)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self)

    @property
    def meaning(self) -> str:
        """What the numbers of the offsets count."""
        parts = [str(self._where)] if self._where.conditions else []
        return ", ".join([*parts, *([] if self.ranges is None else [str(self.ranges)])]) or "all rows"

    def check(self, offset: dict[str, Any]) -> None:
        """See that an offset is of the same rows.

        Raises:
            ValidationError: It is not.
        """
        if offset["of"] != self.meaning:
            raise ValidationError(
                f"{self._table.of}: the checkpoint's place in the table counts rows of another query ({offset['of']}), "
                f"this one reads {self.meaning}: run the query as it was, or start it without the state of its source"
            )

    def count(self) -> int:
        """How many rows are read."""
        sql = f"SELECT COUNT(*) FROM {self._table.dialect.quoted_path(self._table.name)}"
        (((count,),),) = (list(self._asked(sql, self._where)),)
        return int(count[0]) if self._limit is None else min(int(count[0]), self._limit)

    def rows(self, start: int, end: int) -> Iterator[list[Any]]:
        """The rows from one position on to below another one."""
        yield from self._read(self._where, f" LIMIT {end - start} OFFSET {start}")

    def rows_of_range(self, number: int) -> Iterator[list[Any]]:
        """The rows of a range."""
        assert self.ranges is not None
        low, high = self.ranges.bounds()[number]
        yield from self._read(self._where.and_(self.ranges.column, "BETWEEN ? AND ?", low, high), "")

    def _read(self, where: Where, limit: str) -> Iterator[list[Any]]:
        readers = self._table.readers(self._columns)
        order = f" ORDER BY {', '.join(map(self._table.dialect.quoted, self._order))}{limit}"
        for rows in self._asked(self._table.select([each.name for each in self._columns]), where, order):
            yield rows_read(rows, readers) if self._columns else [()] * len(rows)

    def _asked(self, sql: str, where: Where, rest: str = "") -> Iterator[list[Any]]:
        """The rows of a query, some at a time."""
        dialect = self._table.dialect
        text, parameters = where.of_driver(sql, rest, dialect)
        with closing(dialect.connect()) as connection, closing(dialect.cursor(connection, streams=True)) as cursor:
            with dialect.away():
                try:
                    cursor.execute(text, parameters)
                    some = cursor.fetchmany(self._size)
                except Exception as error:
                    if dialect.is_away(error) or isinstance(error, (ConnectionError, ValidationError)):
                        raise
                    raise ValidationError(f"{self._table.of}: {dialect.shown()}: {first_line(error)}") from None
            while some:
                yield some
                with dialect.away():
                    some = cursor.fetchmany(self._size)


class _Enumerator(SplitEnumerator):
    """An offset is ``{"next": number of the next row, or of the next range, "of": what is counted}``."""

    repeatable = True

    def __init__(self, source: JdbcRows, parallelism: int) -> None:
        self._source, self._parallelism = source, parallelism
        self._rows: int | None = None

    def initial_offset(self) -> dict[str, Any]:
        return {"next": 0, "of": self._source.meaning}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        self._source.check(start)
        ranges, count = self._source.ranges, self._end()
        if ranges is not None and count:
            budget = max(budget * count // max(self._count(), 1), self._parallelism)
        return {**start, "next": max(start["next"], min(start["next"] + max(budget, 1), count))}

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[tuple[int, int]]:
        self._source.check(start)
        return cut(start["next"], end["next"], 1 if self._source.ranges is None else parallelism)

    def finished(self, offset: dict[str, Any]) -> bool:
        return bool(offset["next"] >= self._end())

    def _end(self) -> int:
        ranges = self._source.ranges
        return self._count() if ranges is None else len(ranges.bounds())

    def _count(self) -> int:
        if self._rows is None:
            self._rows = self._source.count()
        return self._rows


class _Reader(SourceReader):
    def __init__(self, source: JdbcRows) -> None:
        self._source = source

    def read(self, split: tuple[int, int]) -> Iterator[Batch]:
        start, end = split
        if self._source.ranges is None:
            yield from map(Batch, self._source.rows(start, end))
            return
        for number in range(start, end):
            yield from map(Batch, self._source.rows_of_range(number))


class JdbcLookup(TableLookup):
    """The rows of keys in a table of a database.

    Args:
        table: The table.
        keys: The columns of a key.
        columns: What is read.
        cache: What tasks keep.
        max_retries: How often a query is tried again that failed.
    """

    most_keys = _MOST_KEYS

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
        same = " AND ".join(f"{dialect.quoted(each.name)} = ?" for each in self._keys)
        sql = self._table.select([each.name for each in self._columns], f" WHERE {same}")
        self._sql = parse(sql, self._table.of).of_driver(dialect.parameter)
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
        return self._rows(await self._answer(self._sql, self._parameters(key)))

    async def fetch_many(self, keys: list[tuple[Any, ...]]) -> list[list[tuple[Any, ...]]]:
        # A query for each key, which its rows tell: the database alone knows which values are the same to it.
        asks = self._sql.removeprefix("SELECT ")
        sql = " UNION ALL ".join(f"SELECT {number}, {asks}" for number in range(len(keys)))
        found: list[list[Any]] = [[] for _ in keys]
        for number, *row in await self._answer(sql, [each for key in keys for each in self._parameters(key)]):
            found[number].append(row)
        return list(map(self._rows, found))

    def _parameters(self, key: tuple[Any, ...]) -> list[Any]:
        return [self._dialect.value(write(value)) for value, write in zip(key, self._write, strict=True)]

    def _rows(self, found: list[Any]) -> list[tuple[Any, ...]]:
        return rows_read(found, self._read) if self._columns else [()] * len(found)

    async def _answer(self, sql: str, parameters: list[Any]) -> list[Any]:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, sql, parameters)

    def _ask(self, sql: str, parameters: list[Any]) -> list[Any]:
        pauses = Backoff(self._max_retries).pauses_s()
        while True:
            try:
                return self._query(sql, parameters)
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

    def _query(self, sql: str, parameters: list[Any]) -> list[Any]:
        connection = getattr(self._of_thread, "connection", None)
        if connection is None:
            self._of_thread.connection = None
            connection = self._of_thread.connection = self._dialect.connect()
            self._open.append(connection)
        with self._dialect.away(), closing(connection.cursor()) as cursor:
            try:
                cursor.execute(sql, parameters)
                return list(cursor.fetchall())
            except ConnectionError:
                raise
            except Exception as error:
                many = len(parameters) > len(self._keys)  # each of them alone may be fast enough
                if self._dialect.is_away(error) and not (many and self._dialect.took_too_long(error)):
                    raise
                raise RuntimeError(f"{self._dialect.shown()}: {first_line(error)}") from None
            finally:
                with suppress(Exception):  # it may be broken
                    connection.rollback()

    def __getstate__(self) -> dict[str, Any]:
        names = ("_table", "_keys", "_columns", "cache", "_max_retries")
        return {name: getattr(self, name) for name in names}
