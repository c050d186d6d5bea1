"""Reads parts of the table and of the log."""

from __future__ import annotations

import pickle
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from datastream.io import Batch, SourceReader, Spool
from datastream.types import Row, RowKind

from .enumerator import LogPart, TablePart
from .pgoutput import Change, Decoder, Table
from .slot import Slot
from .snapshots import Snapshot

if TYPE_CHECKING:
    from .source import PostgresChangeSource

_SIZE = 4096


class ChangeReader(SourceReader):
    """A part of the table is noted before it is given: read again, it would be of another moment."""

    def __init__(self, source: PostgresChangeSource, spool: Spool) -> None:
        self._slot, self._spool = Slot(source), spool

    def read(self, split: TablePart | LogPart) -> Iterator[Batch]:
        return self._table(split) if isinstance(split, TablePart) else self._log(split)

    def close(self) -> None:
        self._slot.close()

    def _table(self, part: TablePart) -> Iterator[Batch]:
        note = self._spool.read(part.number, 0)
        if note is None:
            note = self._spool.write(part.number, 0, pickle.dumps(self._slot.rows(part.after, part.last), 5))
        _, names, found = pickle.loads(note)
        for begin in range(0, len(found), _SIZE):
            rows = [Row(*values) for values in found[begin : begin + _SIZE]]
            for row in rows:
                row.set_field_names(names)
            yield Batch(rows)

    def _log(self, part: LogPart) -> Iterator[Batch]:
        seen = _Seen(self._slot, part)
        decoder = Decoder()
        for messages in self._slot.messages(part.end, _SIZE):
            rows = [
                row
                for (message,) in messages
                for change in decoder.decode(bytes(message))
                if part.begin < change.end <= part.end
                for row in self._rows(change, seen)
            ]
            if rows:
                yield Batch(rows)

    def _rows(self, change: Change, seen: _Seen) -> Iterator[Row]:
        """What a change is as rows, but for what the table's parts had seen."""
        table, before, after = change.table, change.before, change.after
        if after is None:
            assert before is not None
            if not seen.by_part(change, before):
                yield self._row(table, before, RowKind.DELETE)
            return
        if before is not None and seen.key(table, before) != seen.key(table, after):
            if not seen.by_part(change, before):
                yield self._row(table, before, RowKind.DELETE)
            if not seen.by_part(change, after):
                yield self._row(table, after, RowKind.INSERT)
            return
        if seen.by_part(change, after):
            return
        if before is not None:
            yield self._row(table, before, RowKind.UPDATE_BEFORE)
        yield self._row(table, after, RowKind.UPDATE_AFTER if change.kind == "U" else RowKind.INSERT)

    def _row(self, table: Table, texts: list[bytes | None], kind: RowKind) -> Row:
        load = self._slot.load
        values = (None if text is None else load(type, text) for type, text in zip(table.types, texts, strict=True))
        row = Row.of_kind(kind, *values)
        row.set_field_names(table.columns)
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

    def by_part(self, change: Change, texts: list[bytes | None]) -> bool:
        """Whether the part that holds a row has seen a change of it."""
        if not self._lasts:
            return False
        at = bisect_left(self._lasts, self.key(change.table, texts))
        return at < len(self._snapshots) and self._snapshots[at].saw(change.xid)
