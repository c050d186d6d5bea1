"""Reads parts of the tables and of the log."""

from __future__ import annotations

import pickle
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from datastream.errors import FormatError, ValidationError
from datastream.io import Batch, SourceReader, Spool
from datastream.types import Row, RowKind
from datastream.types.row import row_factory

from .enumerator import LogPart, SeenPart, TablePart
from .log import Change, Log, LogTable
from .positions import Position
from .server import Part, Server, Table

if TYPE_CHECKING:
    from .source import MySqlChangeSource

_SIZE = 4096


class ChangeReader(SourceReader):
    """A part of a table is noted before it is given: read again, it would be of another moment."""

    def __init__(self, source: MySqlChangeSource, spool: Spool) -> None:
        self._source, self._spool = source, spool
        self._server = Server(source)
        self._log = Log(source, self._server)
        self._makers: dict[tuple[str, str, tuple[str, ...]], _Maker] = {}

    def read(self, split: TablePart | LogPart) -> Iterator[Batch]:
        return self._table(split) if isinstance(split, TablePart) else self._changes(split)

    def close(self) -> None:
        self._server.close()

    def _table(self, part: TablePart) -> Iterator[Batch]:
        note = self._spool.read(part.number, 0)
        if note is None:
            found = self._server.part(part.table, part.after, part.last, part.zone)
            note = self._spool.write(part.number, 0, pickle.dumps(found, 5))
        noted: Part = pickle.loads(note)
        maker = self._maker(part.table.schema, part.table.name, noted.columns)
        for begin in range(0, len(noted.rows), _SIZE):
            yield Batch([maker.row(values, RowKind.INSERT, 0) for values in noted.rows[begin : begin + _SIZE]])

    def _changes(self, part: LogPart) -> Iterator[Batch]:
        seen = _Seen(part.parts)
        rows: list[Row] = []
        with closing(self._log.changes(part.begin, part.end, part.zone)) as changes:
            for change in changes:
                if change.seconds >= part.since:
                    self._add(change, seen, rows)
                if len(rows) >= _SIZE:
                    yield Batch(rows)
                    rows = []
        if rows:
            yield Batch(rows)

    def _add(self, change: Change, seen: _Seen, rows: list[Row]) -> None:
        """Add what a change is as rows, but for what the tables' parts had seen."""
        table, before, after, _, seconds = change
        maker = self._maker(table.schema, table.name, table.columns)
        gone = before is not None and not seen.by_part(change, before)
        there = after is not None and not seen.by_part(change, after)
        if before is not None and after is not None and _key(table, before) == _key(table, after):
            if gone:
                rows.append(maker.row(before, RowKind.UPDATE_BEFORE, seconds))
                rows.append(maker.row(after, RowKind.UPDATE_AFTER, seconds))
            return
        if gone and before is not None:
            rows.append(maker.row(before, RowKind.DELETE, seconds))
        if there and after is not None:
            rows.append(maker.row(after, RowKind.INSERT, seconds))

    def _maker(self, schema: str, name: str, columns: tuple[str, ...]) -> _Maker:
        known = self._makers.get((schema, name, columns))
        if known is None:
            known = self._makers[schema, name, columns] = _Maker(schema, name, columns, self._source.metadata)
        return known


class _Maker:
    """Makes rows of a table, with metadata after their columns."""

    def __init__(self, schema: str, name: str, columns: tuple[str, ...], metadata: tuple[str, ...]) -> None:
        both = set(columns) & set(metadata)
        if both:
            raise ValidationError(
                f"{schema}.{name} has a column {min(both)!r}, which is the name of metadata: leave it out"
            )
        self._make: Callable[[list[Any]], Row] = row_factory((*columns, *metadata))
        self._metadata: list[Callable[[int], Any]] = []
        for key in metadata:
            value = {"__database_name": schema, "__table_name": name}.get(key)
            self._metadata.append(_millis if value is None else _constant(value))

    def row(self, values: list[Any], kind: RowKind, seconds: int) -> Row:
        row = self._make([*values, *(of(seconds) for of in self._metadata)])
        if kind is not RowKind.INSERT:
            row.set_row_kind(kind)
        return row


def _millis(seconds: int) -> int:
    return seconds * 1000


def _constant(value: Any) -> Callable[[int], Any]:
    return lambda _: value


def _key(table: LogTable, values: list[Any]) -> list[Any]:
    return [values[i] for i in table.key]


class _Seen:
    """Which changes the parts of the tables have seen."""

    def __init__(self, parts: tuple[SeenPart, ...]) -> None:
        self._tables: dict[tuple[str, str], tuple[Table, list[tuple[Any, ...]], list[Position]]] = {}
        for part in parts:
            found = self._tables.setdefault((part.table.schema, part.table.name), (part.table, [], []))
            found[1].append(part.table.key.comparable(part.last))
            found[2].append(part.position)

    def by_part(self, change: Change, values: list[Any]) -> bool:
        """Whether the part that holds a row has seen a change."""
        found = self._tables.get((change.table.schema, change.table.name))
        if found is None:
            return False
        table, lasts, positions = found
        row: Mapping[str, Any] = dict(zip(change.table.columns, values, strict=True))
        missing = [name for name in table.key.columns if name not in row]
        if missing:
            raise FormatError(
                f"{table}, {change.position}: column {missing[0]!r} of its primary key is not there any more, and the "
                "table was read by that key; start the job anew"
            )
        at = bisect_left(lasts, table.key.comparable(table.key.of_row(row)))
        return at < len(positions) and change.position <= positions[at]
