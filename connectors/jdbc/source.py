"""`JdbcSource`: the rows of a query, in ranges of a column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

from datastream.errors import ValidationError, cut
from datastream.io import Batch, EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import TupleTypeInfo, TypeInformation
from datastream.types.row import row_factory

from .connection_builder import ConnectionBuilder
from .dialects import Dialect, dialect_of
from .options import JdbcConnectionOptions

_NAME = re.compile(r"[A-Za-z_][\w.]*")
_FETCH_SIZE = 4096


@dataclass(frozen=True)
class JdbcSource(Source):
    """The rows that a query has when the job starts, in order of a column. Made by `builder`.

    An epoch holds the rows with values of the column between two offsets. It has the same rows when it runs again, so
    long as they do not change: rows with higher values than there were at the start are not read. An index on the
    column makes it quick, and no two rows should have the same value.

    Attributes:
        query: What is read; see `Builder.set_sql`.
        partition_column: A column of its results, of whole numbers or texts, without NULL.
        connection_options: The database.
        type_info: Of the rows: a row's, or a tuple's, which is quicker; None: rows of an unknown type.
        fetch_size: Rows that are fetched at once.
    """

    query: str
    partition_column: str
    connection_options: JdbcConnectionOptions
    type_info: TypeInformation | None = None
    fetch_size: int = _FETCH_SIZE

    @staticmethod
    def builder() -> Builder:
        """A builder of sources."""
        return Builder()

    @property
    def produced(self) -> Produced:
        return Produced(self.type_info)

    def validate(self) -> None:
        dialect_of(self.connection_options).check()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Enumerator(self)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self)


@dataclass(frozen=True)
class Builder(ConnectionBuilder):
    """Builds a `JdbcSource`. The names are those of Flink's, where it has them."""

    _query: str = ""
    _column: str = ""
    _fetch_size: int = _FETCH_SIZE

    def set_table(self, table: str) -> Self:
        """Read all columns of a table."""
        if not isinstance(table, str) or not _NAME.fullmatch(table):
            raise ValidationError(f"JdbcSource: {cut(table)} is no name of a table; for a query call set_sql")
        return replace(self, _query=f"SELECT * FROM {table}")

    def set_sql(self, sql: str) -> Self:
        """Read a query without parameters, such as ``SELECT id, total FROM orders WHERE total > 10``."""
        return replace(self, _query=sql.strip().rstrip(";") if isinstance(sql, str) else sql)

    def set_partition_column(self, column: str) -> Self:
        """Name the column of the results by whose values they are read in ranges: indexed, unique, never NULL."""
        return replace(self, _column=column)

    def set_type_information(self, type_info: TypeInformation) -> Self:
        """Set the type of the records: of a row, or of a tuple, which takes less time. Default: rows of any type."""
        return replace(self, _type=type_info)

    def set_result_set_fetch_size(self, size: int) -> Self:
        """Set how many rows are fetched at once. Default: 4096."""
        return replace(self, _fetch_size=size)

    def build(self) -> JdbcSource:
        """The source.

        Raises:
            ValidationError: There is no database, no query, or no column.
        """
        if not self._options.url:
            raise ValidationError("JdbcSource: no database is named: call set_db_url")
        if not isinstance(self._query, str) or not self._query.lower().startswith(("select", "with", "values")):
            raise ValidationError(
                f"JdbcSource: call set_table, or set_sql with a query, which begins with SELECT, got {cut(self._query)}"
            )
        if not isinstance(self._column, str) or not _NAME.fullmatch(self._column):
            raise ValidationError(
                f"JdbcSource: call set_partition_column with a column of the results, got {cut(self._column)}"
            )
        if isinstance(self._fetch_size, bool) or not isinstance(self._fetch_size, int) or self._fetch_size < 1:
            raise ValidationError(f"set_result_set_fetch_size needs a number above 0, got {cut(self._fetch_size)}")
        dialect_of(self._options)
        return JdbcSource(self._query, self._column, self._options, self._type, self._fetch_size)


class _Queries:
    """Questions to a database, by a connection that is made when it is needed, and again after an error.

    In a question ``{part}`` stands for the partition column, ``{rows}`` for the query, and ``?`` for a parameter.
    """

    def __init__(self, source: JdbcSource) -> None:
        self._dialect: Dialect = dialect_of(source.connection_options)
        self._connection: Any = None
        self._column = source.partition_column
        self._query = source.query.replace("%", "%%") if self._dialect.parameter == "%s" else source.query

    def ask(self, question: str, *parameters: Any) -> list[Any]:
        """All rows of a question."""
        with self._cursor(streams=False) as cursor:
            cursor.execute(self._sql(question), parameters)
            found: list[Any] = cursor.fetchall()
        return found

    def stream(self, size: int, question: str, *parameters: Any) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
        """The names of the columns, and some rows at a time."""
        with self._cursor(streams=True) as cursor:
            cursor.execute(self._sql(question), parameters)
            some = cursor.fetchmany(size)
            names = tuple(column[0] for column in cursor.description)
            while some:
                yield names, some
                some = cursor.fetchmany(size)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it may be broken
                connection.close()

    @contextmanager
    def _cursor(self, streams: bool) -> Iterator[Any]:
        """A cursor in a transaction of its own."""
        try:
            with self._dialect.away():
                if self._connection is None:
                    self._connection = self._dialect.connect()
                with closing(self._dialect.cursor(self._connection, streams)) as cursor:
                    yield cursor
                self._connection.rollback()
        except (ConnectionError, ValidationError):
            self.close()
            raise
        except Exception as error:
            self.close()
            said = next(iter(str(error).splitlines()), type(error).__name__)
            raise ValidationError(
                f"JdbcSource: {self._dialect.shown()} refuses to read {self._column!r} of {cut(self._query)}: {said}"
            ) from error
        except BaseException:
            self.close()
            raise

    def _sql(self, question: str) -> str:
        found = question.replace("?", self._dialect.parameter)
        return found.format(part=self._column, rows=f"({self._query}\n) AS source")  # it may end with a comment


class _Enumerator(SplitEnumerator):
    """An offset is ``{"after": last value that was read, "last": the highest of the table}``."""

    def __init__(self, source: JdbcSource) -> None:
        self._source = source
        self._queries = _Queries(source)

    def initial_offset(self) -> dict[str, Any]:
        ((last, nulls),) = self._queries.ask("SELECT max({part}), count(*) - count({part}) FROM {rows}")
        name = self._source.partition_column
        if nulls:
            raise ValidationError(
                f"JdbcSource: {nulls} rows have no {name}, and no range would hold them: leave them out by a WHERE, or "
                "name another partition column"
            )
        if not isinstance(last, (int, str, type(None))):
            raise ValidationError(
                f"JdbcSource: the partition column must be of whole numbers or texts, {name} has {cut(last)}"
            )
        return {"after": None, "last": last}

    def reopen(self, offset: dict[str, Any]) -> dict[str, Any]:
        """Rows come next whose values of the partition column are above all that were read."""
        last, after = self.initial_offset()["last"], offset["after"]
        return {**offset, "last": after if last is None or (after is not None and last < after) else last}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        if start["after"] == start["last"]:
            return start
        where, parameters = _range(start["after"], start["last"])
        nth = f"ORDER BY {{part}} LIMIT 1 OFFSET {max(budget, 1) - 1}"
        found = self._queries.ask(f"SELECT {{part}} FROM {{rows}} {where} {nth}", *parameters)
        return {**start, "after": found[0][0] if found else start["last"]}

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> Sequence[tuple[Any, Any]]:
        first, last = start["after"], end["after"]
        if first == last:
            return []
        between: list[Any] = []
        if parallelism > 1:
            where, parameters = _range(first, last)
            tiles = f"SELECT {{part}} AS v, NTILE({parallelism}) OVER (ORDER BY {{part}}) AS n FROM {{rows}} {where}"
            found = self._queries.ask(f"SELECT max(v) FROM ({tiles}) AS tiles GROUP BY n ORDER BY n", *parameters)
            between = list(dict.fromkeys(value for (value,) in found if value != last))
        return list(pairwise([first, *between, last]))

    def finished(self, offset: dict[str, Any]) -> bool:
        return bool(offset["after"] == offset["last"])

    def close(self) -> None:
        self._queries.close()


class _Reader(SourceReader):
    def __init__(self, source: JdbcSource) -> None:
        self._queries = _Queries(source)
        self._size = source.fetch_size
        self._tuples = isinstance(source.type_info, TupleTypeInfo)

    def read(self, split: tuple[Any, Any]) -> Iterator[Batch]:
        where, parameters = _range(*split)
        question = f"SELECT * FROM {{rows}} {where} ORDER BY {{part}}"
        for names, some in self._queries.stream(self._size, question, *parameters):
            if self._tuples:
                yield Batch(some)  # as the drivers give them
                continue
            make = row_factory(names)
            yield Batch([make(list(values)) for values in some])

    def close(self) -> None:
        self._queries.close()


def _range(after: Any, last: Any) -> tuple[str, tuple[Any, ...]]:
    """The condition of a range after a value up to another one, and its parameters."""
    if after is None:
        return "WHERE {part} <= ?", (last,)
    return "WHERE {part} > ? AND {part} <= ?", (after, last)
