"""Reads parts of the table and of the log."""

from __future__ import annotations

import pickle
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.io import Batch, SourceReader, Spool
from datastream.types import Row, RowKind
from datastream.types.row import row_factory

from .enumerator import LogPart, TablePart
from .pgoutput import Change, Decoder, Table, Transaction
from .slot import Slot
from .snapshots import Snapshot

if TYPE_CHECKING:
    from .source import PostgresChangeSource

_SIZE = 4096
_INSERT = RowKind.INSERT


class ChangeReader(SourceReader):
    """A part of the table is noted before it is given: read again, it would be of another moment."""

    def __init__(self, source: PostgresChangeSource, spool: Spool) -> None:
        self._slot, self._spool, self._source = Slot(source), spool, source
        self._loads: dict[Table, tuple[_Maker, list[Callable[[bytes], Any]]]] = {}

    def read(self, split: TablePart | LogPart) -> Iterator[Batch]:
        return self._table(split) if isinstance(split, TablePart) else self._log(split)

    def close(self) -> None:
        self._slot.close()

    def _table(self, part: TablePart) -> Iterator[Batch]:
        note = self._spool.read(part.number, 0)
        if note is None:
            note = self._spool.write(part.number, 0, pickle.dumps(self._slot.rows(part.after, part.last), 5))
        _, names, found = pickle.loads(note)
        maker = _Maker(self._source, names)
        for begin in range(0, len(found), _SIZE):
            yield Batch([maker.row(list(values), _INSERT, 0) for values in found[begin : begin + _SIZE]])

    def _log(self, part: LogPart) -> Iterator[Batch]:
        seen = _Seen(self._slot, part)
        decoder = Decoder(self._slot.relations)
        rows: list[Row] = []
        for messages in self._slot.messages(part.end, _SIZE):
            for (message,) in messages:
                done = decoder.decode(message)
                if done is None or not part.begin <= done.at < part.end:
                    continue
                for change in done.changes:
                    self._add(change, done, seen, rows)
                    if len(rows) >= _SIZE:
                        yield Batch(rows)
                        rows = []
        if rows:
            yield Batch(rows)

    def _add(self, change: Change, done: Transaction, seen: _Seen, rows: list[Row]) -> None:
        """Add what a change is as rows, but for what the table's parts had seen."""
        kind, table, before, after = change
        xid, millis = done.xid, done.millis
        if after is None:
            assert before is not None
            if not seen.by_part(xid, table, before):
                rows.append(self._row(table, before, RowKind.DELETE, millis))
        elif before is not None and seen.key(table, before) != seen.key(table, after):
            if not seen.by_part(xid, table, before):
                rows.append(self._row(table, before, RowKind.DELETE, millis))
            if not seen.by_part(xid, table, after):
                rows.append(self._row(table, after, _INSERT, millis))
        elif not seen.by_part(xid, table, after):
            if before is not None:
                rows.append(self._row(table, before, RowKind.UPDATE_BEFORE, millis))
            rows.append(self._row(table, after, RowKind.UPDATE_AFTER if kind == "U" else _INSERT, millis))

    def _row(self, table: Table, texts: list[bytes | None], kind: RowKind, millis: int) -> Row:
        known = self._loads.get(table)
        if known is None:
            maker = _Maker(self._source, table.columns)
            known = self._loads[table] = maker, list(map(self._slot.load, table.types))
        maker, loads = known
        values = [None if text is None else load(text) for load, text in zip(loads, texts, strict=True)]
        return maker.row(values, kind, millis)


class _Maker:
    """Makes rows of columns, with metadata after them."""

    def __init__(self, source: PostgresChangeSource, columns: tuple[str, ...]) -> None:
        both = set(columns) & set(source.metadata)
        if both:
            raise ValidationError(
                f"{source.table} has a column {min(both)!r}, which is the name of metadata: leave it out"
            )
        self._make: Callable[[list[Any]], Row] = row_factory((*columns, *source.metadata))
        self._timed = bool(source.metadata)

    def row(self, values: list[Any], kind: RowKind, millis: int) -> Row:
        row = self._make([*values, millis] if self._timed else values)
        if kind is not _INSERT:
            row.set_row_kind(kind)
        return row


class _Seen:
    """Which changes the parts of the table have seen."""

    def __init__(self, slot: Slot, part: LogPart) -> None:
        self._slot = slot
        self._lasts = [slot.key.comparable(last) for last, _ in part.parts]
        self._snapshots = [Snapshot.parse(text) for _, text in part.parts]

    def key(self, table: Table, texts: list[bytes | None]) -> tuple[Any, ...]:
        """The key of a row."""
        key = self._slot.key
        return key.comparable(key.of_texts([texts[table.columns.index(name)] for name in key.columns]))

    def by_part(self, xid: int, table: Table, texts: list[bytes | None]) -> bool:
        """Whether the part that holds a row has seen what a transaction did to it."""
        if not self._lasts:
            return False
        at = bisect_left(self._lasts, self.key(table, texts))
        return at < len(self._snapshots) and self._snapshots[at].saw(xid)
