"""What each epoch reads: parts of the table first, then the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datastream.errors import CheckpointDamaged
from datastream.io import Spool

from ..parts_and_log import PartsAndLog
from .slot import Slot
from .snapshots import Snapshot

if TYPE_CHECKING:
    from .source import PostgresChangeSource

#: A change of a narrow row, and what it does to the table's index, take about so much of the log.
_CHANGE_BYTES = 150
#: How much of the log is looked through for changes of the table, so that writes to other tables alone make no epoch.
_LOOK_BYTES = 2**18


@dataclass(frozen=True)
class TablePart:
    """A part of the table.

    Attributes:
        number: Of the part, from 0.
        after: It begins after this key; None: with the first.
        last: Its last key.
    """

    number: int
    after: list[Any] | None
    last: list[Any]


@dataclass(frozen=True)
class LogPart:
    """A part of the log.

    Attributes:
        begin: Transactions whose commits begin before are not in it.
        end: Nor those whose commits begin here or later.
        parts: (last key, snapshot) of the table's parts whose snapshots may have seen some of these transactions.
    """

    begin: int
    end: int
    parts: tuple[tuple[list[Any], str], ...]


class ChangeEnumerator(PartsAndLog[int]):
    """Reads the table by ranges of its key, then the log.

    Each part of the table has a snapshot of its own, taken when it was read. A change in the log is left out if the
    snapshot of its key's part has seen it. So each row and each change comes once, though the parts are read at
    different times.

    An offset is ``{"lsn": position in the log, "last": highest key at the start, "after": last key that was read,
    "part": number of parts that were read, "parts": [[last key, snapshot], ...], "stop": where it ends, or null}``. A
    part's snapshot is known once the part was read: it is in the offset after.
    """

    source, place = "PostgresChangeSource", "lsn"
    anew = "start the job anew, with another slot"

    def __init__(self, source: PostgresChangeSource, spool: Spool) -> None:
        super().__init__(source.ends, source.poll_ms, spool)
        self._source = source
        self._slot = Slot(source, alone=True)
        self._checked = False
        self._settled: int | None = None

    def initial_offset(self) -> dict[str, Any]:
        begin = self._slot.prepare()
        last = self._slot.last_key() if self._source.snapshot else None
        stop = self._slot.written() if self._source.ends else None
        return {"lsn": begin, "last": last, "after": None, "part": 0, "parts": [], "stop": stop}

    def written(self) -> int:
        return self._slot.written()

    def read_all_parts(self, offset: dict[str, Any]) -> bool:
        return bool(offset["after"] == offset["last"])

    def next_part(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        key, last = self._slot.key, start["last"]
        found = self._slot.nth_key(start["after"], budget)
        if found is None or key.comparable(found) > key.comparable(last):
            found = last
        return {**start, "after": found, "part": start["part"] + 1}

    def next_of_log(self, start: dict[str, Any], begun: dict[str, Any], budget: int) -> dict[str, Any] | None:
        if not self._checked:
            self._check(start["lsn"])
            self._checked = True
        stop = self.stop_of(start)
        there = self._slot.end()
        if stop is not None and stop <= there:
            end = self._behind(start["lsn"], stop, budget) or stop
            if end == start["lsn"] and start["stop"] is not None:
                return None
        else:
            end = self._behind(start["lsn"], there, budget) or start["lsn"]
            if end == start["lsn"]:
                return None
        return self._without_snapshots({**begun, "lsn": end, "stop": stop})

    def _behind(self, begin: int, there: int, budget: int) -> int | None:
        """Where an epoch ends that begins at a place of the log, which goes as far as there; None: no changes there.

        Any place does: a transaction is of the epoch in which its commit begins.
        """
        if there - begin > _LOOK_BYTES:  # to look would take as long as to read
            return min(there, begin + max(budget * _CHANGE_BYTES, _LOOK_BYTES))
        end = self._slot.end_of(budget, begin) if there > begin else None
        return end if end is None else min(end, there)

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[TablePart | LogPart]:
        if end["part"] > start["part"]:
            return [TablePart(start["part"], start["after"], end["after"])]
        if end["lsn"] > start["lsn"]:
            self._check(start["lsn"])
            parts = self.with_last_part(start)["parts"]
            return [LogPart(start["lsn"], end["lsn"], tuple((last, snapshot) for last, snapshot in parts))]
        return []

    def commit(self, offset: dict[str, Any]) -> None:
        super().commit(offset)
        if self.read_all_parts(offset):
            begin = self._slot.begin()
            if offset["lsn"] > begin:
                self._slot.advance(offset["lsn"])

    def close(self) -> None:
        self._slot.close()

    def seen(self, offset: dict[str, Any], note: Any) -> list[Any]:
        snapshot, _, _ = note
        return [offset["after"], snapshot]

    def _without_snapshots(self, offset: dict[str, Any]) -> dict[str, Any]:
        """An offset without snapshots that tell nothing any more: all that they have not seen is behind it."""
        if not offset["parts"]:
            return offset
        if self._settled is None:
            if self._slot.oldest() < max(Snapshot.parse(text).xmax for _, text in offset["parts"]):
                return offset
            self._settled = self._slot.written()
        return {**offset, "parts": [], "settled": True} if offset["lsn"] >= self._settled else offset

    def _check(self, lsn: int) -> None:
        begin = self._slot.begin()
        if begin > lsn:
            raise CheckpointDamaged(
                f"the replication slot {self._source.slot!r} is ahead of the checkpoint, so changes between them are "
                "missing: another job has used it, or the checkpoint is an old one; start the job anew, with another "
                "slot"
            )
