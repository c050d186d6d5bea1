"""The messages of PostgreSQL's plugin ``pgoutput``, version 1 of its protocol, as transactions."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError, JobError

#: A large value that a change left as it was, and so is not in the log.
_UNCHANGED = object()

_CHANGES = {b"I": "I", b"U": "U", b"D": "D"}
_BEFORE = (b"K", b"O")
_COUNT = struct.Struct(">H").unpack_from
_SIZE = struct.Struct(">I").unpack_from
_PLACE = struct.Struct(">q").unpack_from

#: 2000-01-01, from which times are counted, in ms since 1970.
_EPOCH_MS = 946_684_800_000


@dataclass(frozen=True)
class Table:
    """What the log tells of a table.

    Attributes:
        name: With its schema.
        columns: Names.
        types: Numbers of the types in the catalog.
        keys: Positions of the columns that a row is known by.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[int, ...]
    keys: tuple[int, ...]


#: A change of a row: ``I``, ``U`` or ``D`` (inserted, updated, deleted); the table; the row before, which may be its
#: key alone, the other values None, or None where it is not told or there was none; the row after, None where it was
#: deleted. A row is a list of the texts of its values.
Change = tuple[str, Table, "list[bytes | None] | None", "list[bytes | None] | None"]


@dataclass(frozen=True, slots=True)
class Transaction:
    """What was committed at once.

    Attributes:
        xid: The lower 32 bits of its number.
        at: Where its commit begins in the log.
        millis: When it was committed, in ms since 1970.
        changes: In order.
    """

    xid: int
    at: int
    millis: int
    changes: list[Change]


class Decoder:
    """Makes transactions of messages.

    Args:
        relations: The tables as they are now, by their numbers in the catalog; changes of others are left out.
    """

    def __init__(self, relations: Callable[[], Collection[int]]) -> None:
        self._relations = relations
        self._tables: dict[bytes, Table | None] = {}  # None: not of these tables
        self._xid = self._millis = 0
        self._changes: list[Change] = []

    def decode(self, message: bytes) -> Transaction | None:
        """Take a message; at a transaction's end, the transaction.

        Raises:
            FormatError: It is none of version 1.
            JobError: A value is not in the log.
        """
        kind = message[:1]
        if kind in _CHANGES:
            table = self._tables[message[1:5]]
            if table is not None:
                self._changes.append(self._change(kind, table, message))
        elif kind == b"B":
            self._millis = _EPOCH_MS + _PLACE(message, 9)[0] // 1000
            (self._xid,) = _SIZE(message, 17)
            self._changes = []
        elif kind == b"C":
            return Transaction(self._xid, _PLACE(message, 2)[0], self._millis, self._changes)
        elif kind == b"R":
            self._relation(message)
        elif kind not in (b"O", b"Y", b"T", b"M"):  # origins, types, truncations (not published), messages
            raise FormatError(f"expected a message of pgoutput, version 1, got {message[:20]!r}")
        return None

    def _relation(self, message: bytes) -> None:
        reading = _Reading(message, 5)
        name = f"{reading.text()}.{reading.text()}"
        _, count = reading.take(">BH")
        columns, types, keys = [], [], []
        for i in range(count):
            (flags,) = reading.take(">B")
            columns.append(reading.text())
            type_number, _ = reading.take(">Ii")
            types.append(type_number)
            if flags & 1:
                keys.append(i)
        concerned = _SIZE(message, 1)[0] in self._relations()
        self._tables[message[1:5]] = Table(name, tuple(columns), tuple(types), tuple(keys)) if concerned else None

    def _change(self, kind: bytes, table: Table, message: bytes) -> Change:
        before = after = None
        what, at = message[5:6], 6
        if what in _BEFORE:
            before, at = _row(message, at)
            what = message[at : at + 1]
            at += 1
        if what == b"N":
            after, _ = _row(message, at)
            if _UNCHANGED in after:
                after = [
                    self._unchanged(table, i, before) if value is _UNCHANGED else value for i, value in enumerate(after)
                ]
        return _CHANGES[kind], table, before, after

    @staticmethod
    def _unchanged(table: Table, column: int, before: list[Any] | None) -> Any:
        if before is not None and len(table.keys) == len(table.columns):  # all of the row before is told
            return before[column]
        name = table.columns[column]
        raise JobError(
            f"a change of {table.name} left {name!r} as it was, and the value is so large that the log does not hold "
            f"it; ALTER TABLE {table.name} REPLICA IDENTITY FULL, and all later changes hold all values"
        )


class _Reading:
    """Reads a message from a place on."""

    def __init__(self, message: bytes, at: int) -> None:
        self._message, self._at = message, at

    def take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._message, self._at)
        self._at += struct.calcsize(form)
        return found

    def text(self) -> str:
        end = self._message.index(b"\0", self._at)
        found = self._message[self._at : end].decode()
        self._at = end + 1
        return found


def _row(message: bytes, at: int) -> tuple[list[Any], int]:
    """A row that begins at a place, and where it ends."""
    (count,) = _COUNT(message, at)
    at += 2
    found: list[Any] = []
    for _ in range(count):
        kind = message[at]
        if kind == 0x74:  # t, a text
            begin = at + 5
            at = begin + _SIZE(message, at + 1)[0]
            found.append(message[begin:at])
        else:
            at += 1
            found.append(None if kind == 0x6E else _UNCHANGED)  # n, NULL
    return found, at
