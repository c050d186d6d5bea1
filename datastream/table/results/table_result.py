"""`TableResult`: what a statement or a query returns."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from datastream.api import CloseableIterator as StreamIterator
from datastream.api import JobClient
from datastream.api.job_client import handle_of
from datastream.errors import ValidationError, cut
from datastream.missing_names import MissingNames
from datastream.table.catalogs.resolved_schema import ResolvedSchema
from datastream.table.catalogs.table_schema import TableSchema
from datastream.table.results.cell_text import cell_text
from datastream.table.results.printing import MAX_WIDTH, print_rows, type_widths
from datastream.table.results.result_kind import ResultKind
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowType
from datastream.table.types.values import row_to_python
from datastream.types import Row, RowKind

#: Tuples of values inside; with the kind in front if there are updates.
Inside = Iterator[tuple[Any, ...]]


class CloseableIterator(Iterator[Row]):
    """The rows of a result. Closing it ends the job."""

    def __init__(self, rows: Inside, columns: RowType, updates: bool, stream: StreamIterator | None) -> None:
        self._rows, self._updates, self._stream = rows, updates, stream
        self._row = row_to_python(columns, collected=True)
        self._closed = False

    def __iter__(self) -> CloseableIterator:
        return self

    def __next__(self) -> Row:
        if self._closed:
            raise StopIteration
        values = next(self._rows)
        if not self._updates:
            return self._row(values)
        row = self._row(values[1:])
        row.set_row_kind(RowKind(values[0]))
        return row

    def next(self) -> Row:
        """The next row; waits for it."""
        return next(self)

    def close(self) -> None:
        """End the job, if it has not ended yet."""
        self._closed = True
        if self._stream is not None:
            self._stream.close()

    def __enter__(self) -> CloseableIterator:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class TableResult(MissingNames):
    """What a statement or a query returns: rows, and the job that makes them.

    Args:
        schema: Of the rows.
        rows: Tuples of values inside.
        kind: What came of it.
        client: The job; None: there is none.
        updates: The kind of each row comes before its tuple.
        streaming: Printing shows the kinds of rows.
        zone: In which TIMESTAMP_LTZ is shown.
        stream: What brings the rows, to be closed; None: they are there.
        text: What printing writes; None: a table.
        max_width: Of columns of text that are printed.
    """

    def __init__(
        self,
        schema: ResolvedSchema,
        rows: Iterable[tuple[Any, ...]],
        kind: ResultKind = ResultKind.SUCCESS_WITH_CONTENT,
        client: JobClient | None = None,
        *,
        updates: bool = False,
        streaming: bool = False,
        zone: dt.tzinfo = dt.UTC,
        stream: StreamIterator | None = None,
        text: str | None = None,
        max_width: int = MAX_WIDTH,
    ) -> None:
        self._schema, self._kind, self._client = schema, kind, client
        self._rows: Inside | None = iter(rows)
        self._updates, self._streaming, self._zone = updates, streaming, zone
        self._stream, self._text, self._max_width = stream, text, max_width

    def get_job_client(self) -> JobClient | None:
        """The job; None: there is none."""
        return self._client

    def wait(self, timeout_ms: int | None = None) -> None:
        """Wait until an INSERT has ended, or the first row of a query is there.

        Args:
            timeout_ms: How long at most. Default: without end.

        Raises:
            TimeoutError: it took longer.
            JobError: the job failed.
        """
        if timeout_ms is not None and (isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int)):
            raise ValidationError(f"wait needs a number of ms, got {cut(timeout_ms)}")
        if self._client is None:
            return
        if self._stream is not None:
            self._wait_for_first(timeout_ms)
            return
        future = handle_of(self._client).future
        future.result(None if timeout_ms is None else timeout_ms / 1000)

    def get_table_schema(self) -> TableSchema:
        """Names and types of the columns."""
        return self._schema.to_table_schema()

    def get_resolved_schema(self) -> ResolvedSchema:
        """The columns."""
        return self._schema

    def get_result_kind(self) -> ResultKind:
        """Whether there are rows."""
        return self._kind

    def collect(self) -> CloseableIterator:
        """The rows, to be closed: with a ``with`` statement, or by `close`.

        The rows of a query can be taken once, by `collect` or `print`.
        """
        columns = self._schema.to_source_row_data_type()
        return CloseableIterator(self._take(), columns, self._updates, self._stream)

    def print(self) -> None:
        """Print the rows as a table, and wait for the job's end."""
        if self._text is not None:
            self.wait()
            print(self._text)
            return
        names, kinds = self._schema.get_column_names(), self._schema.get_column_data_types()
        is_query = self._stream is not None or self._streaming
        if not is_query:
            print_rows(names, self._cells(kinds, ""))
            return
        widths = type_widths(names, kinds, self._max_width)
        cells = self._cells(kinds, "<NULL>")
        try:
            if self._streaming:
                print_rows(["op", *names], cells, [2, *widths])
            else:
                print_rows(names, cells, widths)
        finally:
            if self._stream is not None:
                self._stream.close()

    def _ipython_display_(self) -> None:
        """Show the rows in a notebook."""
        from datastream.table.results.notebook import Shown, show

        query, names = self._stream is not None, self._schema.get_column_names()
        shown = Shown(names, self._changes, query, self._streaming, self._rows is None, self._client, self._text)
        show(shown, repr(self))

    def _changes(self) -> Iterator[tuple[RowKind, tuple[str, ...]]]:
        """The rows as texts, with their kinds."""
        with open_rows(self) as opened:
            texts = [cell_text(kind, opened.zone) for kind in opened.kinds]
            for kind, values in opened.rows:
                yield kind, tuple(text(value) for text, value in zip(texts, values, strict=True))

    def _cells(self, kinds: Sequence[DataType], null: str) -> Iterator[list[str]]:
        texts = [cell_text(kind, self._zone, null) for kind in kinds]
        for row in self._take():
            kind, values = (row[0], row[1:]) if self._updates else (0, row)
            cells = [text(value) for text, value in zip(texts, values, strict=True)]
            yield [str(RowKind(kind)), *cells] if self._streaming else cells

    def _take(self) -> Inside:
        """The rows. Those that are there, and not made by a job, can be taken again."""
        if self._rows is None:
            raise ValidationError(
                "the rows of this result have been taken already: execute the query again, or keep a list of them"
            )
        if self._stream is not None:
            rows, self._rows = self._rows, None
            return rows
        known = list(self._rows)
        self._rows = iter(known)
        return iter(known)

    def _wait_for_first(self, timeout_ms: int | None) -> None:
        import itertools
        import threading

        rows = self._rows
        if rows is None:
            return
        found: list[tuple[Any, ...]] = []
        failed: list[BaseException] = []

        def first() -> None:
            try:
                found.extend(itertools.islice(rows, 1))
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=first, name="datastream-first-row", daemon=True)
        thread.start()
        thread.join(None if timeout_ms is None else timeout_ms / 1000)
        if thread.is_alive():
            raise TimeoutError(f"no row within {timeout_ms} ms")
        if failed:
            raise failed[0]
        self._rows = itertools.chain(found, rows)


def ok() -> TableResult:
    """What a statement returns that returns nothing."""
    schema = ResolvedSchema.physical(["result"], [DataTypes.STRING()])
    return TableResult(schema, [("OK",)], ResultKind.SUCCESS, text="OK")


def given_rows(
    columns: Sequence[tuple[str, DataType]], rows: Iterable[tuple[Any, ...]], text: str | None = None
) -> TableResult:
    """Rows that are there already, such as those of SHOW; `text`: what printing writes, if it is no table."""
    schema = ResolvedSchema.physical([name for name, _ in columns], [kind for _, kind in columns])
    return TableResult(schema, rows, text=text)


def inside_rows(result: TableResult) -> tuple[list[tuple[Any, ...]], bool]:
    """All rows of a result, with values as they are inside, and whether their kinds stand in front."""
    with result.collect() as iterator:
        return list(iterator._rows), result._updates  # noqa: SLF001 - users get rows of Python's values


@dataclass(frozen=True)
class OpenRows:
    """The rows of a result, as they come.

    Attributes:
        names: Of the columns.
        kinds: Their types.
        rows: The kind of each row, and its values as they are inside.
        updates: Whether there may be other kinds than ``+I``.
        zone: In which TIMESTAMP_LTZ is shown.
    """

    names: list[str]
    kinds: list[DataType]
    rows: Iterator[tuple[RowKind, tuple[Any, ...]]]
    updates: bool
    zone: dt.tzinfo


@contextmanager
def open_rows(result: TableResult) -> Iterator[OpenRows]:
    """The rows of a result; its job ends with the block."""
    schema = result.get_resolved_schema()
    with result.collect() as taken:
        inside, updates = taken._rows, taken._updates  # noqa: SLF001 - users get rows of Python's values
        rows = ((RowKind(row[0]), row[1:]) if updates else (RowKind.INSERT, row) for row in inside)
        names, kinds = schema.get_column_names(), schema.get_column_data_types()
        yield OpenRows(names, kinds, rows, updates, zone_of(result))


def zone_of(result: TableResult) -> dt.tzinfo:
    """In which a result's TIMESTAMP_LTZ is shown."""
    return result._zone  # noqa: SLF001 - users have no use for it


def is_query(result: TableResult) -> bool:
    """Whether a job brings its rows."""
    return result._stream is not None  # noqa: SLF001 - users close what collect() returns
