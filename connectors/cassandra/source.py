"""`CassandraSource`: the rows of a table, by ranges of tokens."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from logging import Logger
from typing import Any, Self

from datastream.errors import ValidationError, cut
from datastream.io import (
    Backoff,
    Batch,
    EnumeratorContext,
    Produced,
    ReaderContext,
    Source,
    SourceReader,
    SplitEnumerator,
)
from datastream.io.ranges import cut as cut_range
from datastream.types import RowTypeInfo
from datastream.types.row import row_factory

from .cluster import CassandraSettings, ClusterBuilder, Reach, checked_reach
from .column_types import is_plain, plain, type_of
from .connection import Connection
from .library import cassandra

#: The tokens of Murmur3Partitioner: above the first one, up to the last one.
FIRST, LAST = -(1 << 63), (1 << 63) - 1
#: Keys that are looked at to learn how dense the tokens are.
_SAMPLE = 1000
_TABLE = re.compile(r'(\w+|"[^"]+")\.(\w+|"[^"]+")')


@dataclass(frozen=True)
class CassandraSource(Source):
    """Reads the rows of a table once, as rows with the table's names and types; made by `builder`.

    An epoch holds the rows of a range of tokens, its splits parts of the range. Rows of a range come in the same order
    each time. An epoch that runs again has the same result, unless the table has been changed meanwhile.

    Attributes:
        cluster: How the cluster is reached.
        table: The table's keyspace and name, as CQL writes them.
        partition_key: The columns of the partition key, in order.
        columns: The columns to read.
        types: Their types, as CQL writes them.
        where: A condition; None: all rows.
        page_size: Rows that are fetched at once.
        backoff: Tries of a page when the cluster is away or has no room.
    """

    cluster: Reach
    table: str
    partition_key: tuple[str, ...]
    columns: tuple[str, ...]
    types: tuple[str, ...]
    where: str | None = None
    page_size: int = 5_000
    backoff: Backoff = Backoff()

    bounded = True
    grows = False

    @staticmethod
    def builder() -> CassandraSourceBuilder:
        """A builder of a source."""
        return CassandraSourceBuilder()

    @property
    def produced(self) -> Produced:
        # Infinite floats of 32 bits are no FLOAT.
        exact = not any("float" in kind for kind in self.types)
        return Produced(RowTypeInfo(map(type_of, self.types), self.columns), exact=exact)

    def validate(self) -> None:
        cassandra()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Enumerator(self, context.logger)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self, context)

    def statement(self) -> str:
        """The statement that reads a range of tokens."""
        chosen = ", ".join(map(_quoted, self.columns))
        limit = "" if self.where is None else f" AND {self.where} ALLOW FILTERING"
        return f"SELECT {chosen} FROM {self.table} WHERE {self.token()} > ? AND {self.token()} <= ?{limit}"

    def record_factory(self) -> Callable[[list[Any]], Any]:
        """A function: the values of a row -> its record."""
        return row_factory(self.columns)

    def token(self) -> str:
        """The token of a row."""
        return f"token({', '.join(map(_quoted, self.partition_key))})"


class CassandraSourceBuilder:
    """Builds a `CassandraSource`."""

    def __init__(self) -> None:
        self._cluster: Reach | None = None
        self._table: str | None = None
        self._columns: tuple[str, ...] | None = None
        self._where: str | None = None
        self._page_size = CassandraSource.page_size
        self._backoff = CassandraSource.backoff

    def set_host(self, host: str, port: int = 9042) -> Self:
        """Set a node of the cluster. Use `set_cluster_builder` for a user, TLS, or several nodes."""
        self._cluster = CassandraSettings((host,), port)
        return self

    def set_cluster_builder(self, builder: ClusterBuilder | CassandraSettings) -> Self:
        """Set how the cluster is reached."""
        self._cluster = checked_reach("CassandraSource: set_cluster_builder", builder)
        return self

    def set_table(self, table: str) -> Self:
        """Set the table, as ``keyspace.table``."""
        if not isinstance(table, str) or not _TABLE.fullmatch(table):
            raise ValidationError(f"CassandraSource: expected a table as keyspace.table, got {cut(table)}")
        self._table = table
        return self

    def set_columns(self, *columns: str) -> Self:
        """Set the columns to read. Default: all, those of the primary key first, the others by name."""
        if not columns or not all(isinstance(name, str) for name in columns):
            raise ValidationError(f"CassandraSource: expected the names of columns, got {cut(columns)}")
        self._columns = columns
        return self

    def set_where(self, condition: str) -> Self:
        """Read only rows with a condition, such as ``total > 100``. Cassandra still looks at all of them."""
        if not isinstance(condition, str) or not condition.strip():
            raise ValidationError(f"CassandraSource: expected a condition such as 'total > 100', got {cut(condition)}")
        self._where = condition
        return self

    def set_page_size(self, rows: int) -> Self:
        """Set how many rows are fetched at once. Default: 5000."""
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise ValidationError(f"CassandraSource: a page has at least one row, got {cut(rows)}")
        self._page_size = rows
        return self

    def set_backoff(self, backoff: Backoff) -> Self:
        """Set how often a page is tried again when the cluster is away or has no room."""
        self._backoff = backoff
        return self

    def build(self) -> CassandraSource:
        """The source. Asks the cluster for the table's columns.

        Raises:
            ConnectionError: The cluster is away.
            ValidationError: No cluster or table was set, or there is no such table or column.
        """
        if self._cluster is None:
            raise ValidationError("CassandraSource: no cluster is named: call set_host or set_cluster_builder")
        if self._table is None:
            raise ValidationError("CassandraSource: no table is named: call set_table")
        found = _TABLE.fullmatch(self._table)
        assert found is not None
        connection = Connection(self._cluster)
        try:
            rows = connection.columns(_bare(found[1]), _bare(found[2]))
            partitioner = connection.execute("SELECT partitioner FROM system.local")[0].partitioner
        finally:
            connection.close()
        if not rows:
            raise ValidationError(
                f"CassandraSource: Cassandra at {connection.address} has no table {self._table}; create it with CREATE "
                "TABLE, or name another one"
            )
        if not partitioner.endswith("Murmur3Partitioner"):
            raise ValidationError(f"CassandraSource reads clusters with Murmur3Partitioner, this one has {partitioner}")
        order = {"partition_key": 0, "clustering": 1}
        rows.sort(key=lambda row: (order.get(row.kind, 2), row.position, row.column_name))
        types = {row.column_name: row.type for row in rows}
        columns = self._columns or tuple(types)
        unknown = [name for name in columns if name not in types]
        if unknown:
            raise ValidationError(
                f"CassandraSource: {self._table} has no column {unknown[0]!r}; it has {', '.join(types)}"
            )
        return CassandraSource(
            self._cluster,
            self._table,
            tuple(row.column_name for row in rows if row.kind == "partition_key"),
            columns,
            tuple(types[name] for name in columns),
            self._where,
            self._page_size,
            self._backoff,
        )


class _Session:
    """A connection that is made anew when it has failed, and what is prepared on it."""

    def __init__(self, source: CassandraSource, logger: Logger, retried: Callable[[], Any] = lambda: None) -> None:
        self._source, self._logger, self._retried = source, logger, retried
        self._connection: Connection | None = None
        self._prepared: dict[str, Any] = {}
        self._profile: dict[str, Any] = {}

    def start(self, query: str, values: Sequence[Any], size: int, state: bytes | None = None) -> tuple[Connection, Any]:
        """Begin a request, for a page."""
        if self._connection is None:
            self._connection = connection = Connection(self._source.cluster)
            self._profile = _tuples(connection)
        connection = self._connection
        if query not in self._prepared:
            self._prepared[query] = connection.prepare(query)
            self._prepared[query].is_idempotent = True
        bound = self._prepared[query].bind(values)
        bound.fetch_size = size
        return connection, connection.session.execute_async(bound, paging_state=state, **self._profile)

    def page(
        self, started: tuple[Connection, Any] | None, query: str, values: Sequence[Any], size: int, state: bytes | None
    ) -> tuple[list[Any], bytes | None]:
        """The rows of a page, and where the next one begins; tried again when the cluster is away or has no room."""
        pauses = self._source.backoff.pauses_s()
        while True:
            try:
                connection, future = started or self.start(query, values, size, state)
                started = None
                try:
                    result = future.result()
                except Exception as error:
                    raise connection.translated(error, query) from error
                return result.current_rows, result.paging_state
            except ConnectionError as error:
                self.close()
                pause = next(pauses, None)
                if pause is None:
                    raise
                self._retried()
                self._logger.warning("a page of %s is read again in %.1f s: %s", self._source.table, pause, error)
                time.sleep(pause)

    def close(self) -> None:
        connection, self._connection, self._prepared = self._connection, None, {}
        if connection is not None:
            with suppress(Exception):
                connection.close()


class _Enumerator(SplitEnumerator):
    """Its offset is a token: all rows up to it have been read."""

    repeatable = True

    def __init__(self, source: CassandraSource, logger: Logger) -> None:
        self._query = f"SELECT {source.token()} FROM {source.table} WHERE {source.token()} > ? LIMIT ?"
        self._session = _Session(source, logger)

    def initial_offset(self) -> int:
        return FIRST

    def latest_offset(self, start: int, budget: int) -> int:
        if start >= LAST:
            return start
        wanted = max(budget, 1)
        limit = min(wanted, _SAMPLE)
        rows, _ = self._session.page(None, self._query, (start, limit), limit, None)
        if len(rows) < limit:
            return LAST
        last = int(rows[-1][0])
        # Tokens are spread evenly, so that the next ones are as dense.
        return min(LAST, start + (last - start) * wanted // limit)

    def splits(self, start: int, end: int, parallelism: int) -> list[tuple[int, int]]:
        return cut_range(start, end, parallelism)

    def finished(self, offset: int) -> bool:
        return offset >= LAST

    def close(self) -> None:
        self._session.close()


class _Reader(SourceReader):
    def __init__(self, source: CassandraSource, context: ReaderContext) -> None:
        self._source, self._query = source, source.statement()
        self._session = _Session(source, context.logger, context.metrics.counter("numRetries").inc)
        self._pages = context.metrics.counter("numBatches")
        self._make = source.record_factory()
        self._turned = [i for i, kind in enumerate(source.types) if not is_plain(kind)]

    def read(self, split: tuple[int, int]) -> Iterator[Batch]:
        size, query, session = self._source.page_size, self._query, self._session
        started: Any = None
        state: bytes | None = None
        while True:
            rows, state = session.page(started, query, split, size, state)
            # The next page is on its way while this one is made use of.
            started = None
            if state is not None:
                with suppress(ConnectionError):
                    started = session.start(query, split, size, state)
            self._pages.inc()
            if rows:
                yield Batch(self._records(rows))
            if state is None:
                return

    def close(self) -> None:
        self._session.close()

    def _records(self, rows: list[Any]) -> list[Any]:
        make, turned = self._make, self._turned
        if not turned:
            return [make(list(row)) for row in rows]
        records = []
        for row in rows:
            values = list(row)
            for i in turned:
                values[i] = plain(values[i])
            records.append(make(values))
        return records


def _tuples(connection: Connection) -> dict[str, Any]:
    """The argument of a request for rows as tuples; none for a cluster of the driver's old settings."""
    driver = cassandra()
    if connection.cluster._config_mode == driver.cluster._ConfigMode.LEGACY:  # noqa: SLF001 - the driver shows it nowhere
        return {}
    profile = connection.session.execution_profile_clone_update(
        driver.cluster.EXEC_PROFILE_DEFAULT, row_factory=driver.query.tuple_factory
    )
    return {"execution_profile": profile}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'  # always: it may be a word of CQL's


def _bare(name: str) -> str:
    """A name as Cassandra keeps it."""
    return name[1:-1] if name.startswith('"') else name.lower()
