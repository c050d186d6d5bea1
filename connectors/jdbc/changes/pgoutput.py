"""The messages of PostgreSQL's plugin ``pgoutput``, version 1 of its protocol, as changes of rows."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError, JobError

#: A large value that a change left as it was, and so is not in the log.
_UNCHANGED = object()


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


@dataclass(frozen=True)
class Change:
    """A change of a row. A row is a list of the texts of its values.

    Attributes:
        kind: ``I``, ``U`` or ``D``: inserted, updated, deleted.
        xid: The transaction: the lower 32 bits of its number.
        end: Where the transaction's commit ends in the log.
        table: The table.
        before: The row before; or its key alone, the other values None; None: not told, or there was none.
        after: The row after; None: it was deleted.
    """

    kind: str
    xid: int
    end: int
    table: Table
    before: list[bytes | None] | None
    after: list[bytes | None] | None


class Decoder:
    """Makes changes of messages, a transaction at a time."""

    def __init__(self) -> None:
        self._tables: dict[int, Table] = {}
        self._xid = 0
        self._changes: list[tuple[str, Table, Any, Any]] = []

    def decode(self, message: bytes) -> Iterator[Change]:
        """Take a message; at a transaction's end, its changes.

        Raises:
            FormatError: It is none of version 1.
            JobError: A value is not in the log.
        """
        kind, reading = message[:1], _Reading(message)
        if kind == b"B":
            _, _, self._xid = reading.take(">qqI")
            self._changes = []
        elif kind == b"C":
            _, _, end, _ = reading.take(">Bqqq")
            for what, table, before, after in self._changes:
                yield Change(what, self._xid, end, table, before, after)
            self._changes = []
        elif kind == b"R":
            self._relation(reading)
        elif kind in (b"I", b"U", b"D"):
            self._changes.append(self._change(kind, reading))
        elif kind not in (b"O", b"Y", b"T", b"M"):  # origins, types, truncations (not published), messages
            raise FormatError(f"expected a message of pgoutput, version 1, got {message[:20]!r}")

    def _relation(self, reading: _Reading) -> None:
        (number,) = reading.take(">I")
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
        self._tables[number] = Table(name, tuple(columns), tuple(types), tuple(keys))

    def _change(self, kind: bytes, reading: _Reading) -> tuple[str, Table, Any, Any]:
        (number,) = reading.take(">I")
        table = self._tables[number]
        before = after = None
        what = reading.byte()
        if what in (b"K", b"O"):
            before = reading.row()
            what = reading.byte() if kind == b"U" else b""
        if what == b"N":
            after = reading.row()
            for i, value in enumerate(after):
                if value is _UNCHANGED:
                    after[i] = self._unchanged(table, i, before)
        return kind.decode(), table, before, after

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
    """Reads a message behind its first byte."""

    def __init__(self, message: bytes) -> None:
        self._message, self._at = message, 1

    def take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._message, self._at)
        self._at += struct.calcsize(form)
        return found

    def byte(self) -> bytes:
        self._at += 1
        return self._message[self._at - 1 : self._at]

    def text(self) -> str:
        end = self._message.index(b"\0", self._at)
        found = self._message[self._at : end].decode()
        self._at = end + 1
        return found

    def row(self) -> list[Any]:
        (count,) = self.take(">H")
        found: list[Any] = []
        for _ in range(count):
            kind = self.byte()
            if kind == b"t":
                (size,) = self.take(">I")
                found.append(self._message[self._at : self._at + size])
                self._at += size
            else:
                found.append(None if kind == b"n" else _UNCHANGED)
        return found
