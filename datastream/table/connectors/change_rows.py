"""Rows of databases' change capture as tuples of tables, with their kind in front."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import Row
from datastream.types.row import names_of, values_of

from .formats.changes import AFTER, BEFORE, DELETE, INSERT
from .jdbc_values import Convert, read_column
from .options import Option
from .wrapping import WrappedReader, WrappedSource

#: Option of tables whose changes are read as new rows.
APPEND_ONLY = Option(
    "scan.read-changelog-as-append-only.enabled", "boolean", False, doc="Rows of all kinds are new rows."
)

_KINDS = {INSERT: "+I", BEFORE: "-U", AFTER: "+U", DELETE: "-D"}


@dataclass(frozen=True)
class ChangedColumn:
    """Where a column's values come from.

    Attributes:
        name: Of the row's column; None: it is `constant`, or the row's kind.
        read: Makes the value inside of the database's.
        constant: The value of all rows; None: the row's kind, as text.
    """

    name: str | None = None
    read: Convert | None = None
    constant: Any = None


@dataclass(frozen=True)
class OperationTime:
    """Makes a time inside of ms since 1970.

    Attributes:
        read: Makes it of a time of Python.
    """

    read: Convert

    def __call__(self, millis: int) -> Any:
        return self.read(datetime.fromtimestamp(millis / 1000, UTC))


def server_options(port: int, user: str) -> tuple[Option, ...]:
    """The options that say where a server is, by Flink CDC's names.

    Args:
        port: The default port.
        user: What the user needs.
    """
    return (
        Option("hostname", required=True, doc="The server."),
        Option("port", "integer", port, doc="Its port."),
        Option("username", required=True, doc=user),
        Option("password", required=True, doc="The user's. Never shown."),
    )


class ChangeRows(WrappedSource):
    """Rows of another source as tuples.

    Args:
        inner: Gives named rows.
        columns: The columns, in order.
        check: Called before the first epoch; raises what is wrong with the database.
        upserts: A row takes the place of that of its key: rows before an update are left out.
        appends: All rows are new ones, whatever their kind; no kind is in front.
    """

    def __init__(
        self,
        inner: Source,
        columns: Sequence[ChangedColumn],
        check: Callable[[], None] | None = None,
        upserts: bool = False,
        appends: bool = False,
    ) -> None:
        super().__init__(inner)
        self._columns, self._check, self._upserts, self._appends = columns, check, upserts, appends

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        if self._check is not None:
            self._check()
        return super().create_enumerator(context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self.inner.create_reader(context), self._columns, self._upserts, self._appends)


class _Reader(WrappedReader):
    def __init__(self, inner: SourceReader, columns: Sequence[ChangedColumn], upserts: bool, appends: bool) -> None:
        super().__init__(inner)
        self._columns, self._upserts, self._appends = columns, upserts, appends

    def read(self, split: Any) -> Iterator[Batch]:
        for batch in self.inner.read(split):
            rows: list[Any] = []
            for names, some in groupby(batch.records, names_of):
                rows += self._rows(names or (), list(some))
            if rows:
                yield Batch(rows)

    def _rows(self, names: tuple[str, ...], rows: list[Row]) -> list[tuple[Any, ...]]:
        """Tuples of rows of the same names."""
        kinds = [row.get_row_kind().value for row in rows]
        if self._upserts:
            rows = [row for row, kind in zip(rows, kinds, strict=True) if kind != BEFORE]
            kinds = [kind for kind in kinds if kind != BEFORE]
        if not rows:
            return []
        values = dict(zip(names, zip(*map(values_of, rows), strict=True), strict=True))
        columns = [_column(values, column, kinds) for column in self._columns]
        if not self._appends:
            emitted = [DELETE if kind == DELETE else AFTER for kind in kinds] if self._upserts else kinds
            columns.insert(0, emitted)
        return list(zip(*columns, strict=True)) if columns else [()] * len(rows)


def _column(values: Mapping[str, Sequence[Any]], column: ChangedColumn, kinds: Sequence[int]) -> Sequence[Any]:
    if column.name is None:
        return [_KINDS[kind] if column.constant is None else column.constant for kind in kinds]
    found = values.get(column.name)
    if found is None or column.read is None:
        return [None] * len(kinds)  # the table has no such column yet, or not any more
    return read_column(found, column.read)
