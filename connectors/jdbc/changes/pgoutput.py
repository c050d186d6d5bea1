"""The messages of PostgreSQL's plugin ``pgoutput``, version 1 of its protocol, as changes of rows."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError, JobError

#: A large value that a change left as it was, and so is not in the log.
_UNCHANGED = object()

_CHANGES = (b"I", b"U", b"D")
_COUNT = struct.Struct(">H").unpack_from
_SIZE = struct.Struct(">I").unpack_from


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
    """Makes changes of messages, a transaction at a time.

    Args:
        relations: The tables as they are now, by their numbers in the catalog; changes of others are left out.
    """

    def __init__(self, relations: Callable[[], Collection[int]]) -> None:
        self._relations = relations
        self._concerned: dict[int, bool] = {}
        self._tables: dict[int, Table] = {}
        self._xid = 0
        self._changes: list[tuple[str, Table, Any, Any]] = []

    def decode(self, message: bytes) -> Iterable[Change]:
        """Take a message; at a transaction's end, its changes.

        Raises:
            FormatError: It is none of version 1.
            JobError: A value is not in the log.
        """
        kind, reading = message[:1], _Reading(message)
        if kind in _CHANGES:
            (number,) = reading.take(">I")
            if self._concerned[number]:
                self._changes.append(self._change(kind, number, reading))
        elif kind == b"B":
            _, _, self._xid = reading.take(">qqI")
            self._changes = []
        elif kind == b"C":
            _, _, end, _ = reading.take(">Bqqq")
            changes, self._changes = self._changes, []
            return (Change(what, self._xid, end, table, before, after) for what, table, before, after in changes)
        elif kind == b"R":
            self._relation(reading)
        elif kind not in (b"O", b"Y", b"T", b"M"):  # origins, types, truncations (not published), messages
            raise FormatError(f"expected a message of pgoutput, version 1, got {message[:20]!r}")
        return ()

    def _relation(self, reading: _Reading) -> None:
        (number,) = reading.take(">I")
        self._concerned[number] = number in self._relations()
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

    def _change(self, kind: bytes, number: int, reading: _Reading) -> tuple[str, Table, Any, Any]:
        table = self._tables[number]
        before = after = None
        what = reading.byte()
        if what in (b"K", b"O"):
            before = reading.row()
            what = reading.byte() if kind == b"U" else b""
        if what == b"N":
            after = reading.row()
            if _UNCHANGED in after:
                after = [
                    self._unchanged(table, i, before) if value is _UNCHANGED else value for i, value in enumerate(after)
                ]
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
        message, at = self._message, self._at
        (count,) = _COUNT(message, at)
        at += 2
        found: list[Any] = []
        for _ in range(count):
            kind = message[at]
            at += 1
            if kind == 0x74:  # t, a text
                (size,) = _SIZE(message, at)
                at += 4 + size
                found.append(message[at - size : at])
            else:
                found.append(None if kind == 0x6E else _UNCHANGED)  # n, NULL
        self._at = at
        return found
