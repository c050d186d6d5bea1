"""Goes through the events of the log, from one transaction to the next, and counts changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from datastream.errors import FormatError

from .positions import FIRST, Position

if TYPE_CHECKING:
    from .server import LogEvent
    from .source import MySqlChangeSource

#: A change of a narrow row takes about so much of an event.
_CHANGE_BYTES = 50
_TABLE = re.compile(r"table_id: (\d+) \((.*?)\.(.*)\)")
_NUMBER = re.compile(r"table_id: (\d+)")
_ROWS = ("Write_rows", "Update_rows", "Delete_rows", "Partial_update_rows")
#: An event between transactions. Others are inside of one, or are all of it.
_BETWEEN = ("Format_desc", "Rotate", "Stop", "Gtid_list", "Previous_gtids", "Binlog_checkpoint", "Start_encryption")


class Walk:
    """A way through the log.

    Args:
        source: Knows the tables.
        begin: Where the epoch begins.
        at: Where the walk begins: between two transactions.

    Attributes:
        at: The last place between two transactions.
        reads_at: Where the next event begins.
        changes: About as many changes of the tables come before `at`.
        looked: Bytes that were gone through since the last file began.
    """

    def __init__(self, source: MySqlChangeSource, begin: Position, at: Position) -> None:
        self._source = source
        self.at = self.reads_at = at
        self.changes = 0
        self.looked = at.at - begin.at if at.file == begin.file else 0
        self._tables: dict[str, bool] = {}
        self._open = False
        self._pending = 0

    def goes_on_in(self, file: str) -> None:
        """The file has ended; a transaction that was not finished there never was."""
        self.at = self.reads_at = Position(file, FIRST)
        self._open, self._pending = False, 0

    def take(self, event: LogEvent) -> None:
        """Take the next event.

        Raises:
            FormatError: It is one that hides rows.
        """
        kind, info = event.type, event.info
        size = event.end - self.reads_at.at
        self.reads_at = Position(self.at.file, event.end) if event.end else self.reads_at
        self.looked += size
        if kind == "Transaction_payload" or "compressed" in kind.lower():
            raise FormatError(
                f"{self.reads_at}: the log holds a compressed event ({kind}), which is not read: SET GLOBAL "
                "binlog_transaction_compression = OFF (in MariaDB log_bin_compress), and start the job anew"
            )
        if kind == "Table_map":
            found = _TABLE.search(info)
            if found:
                self._tables[found[1]] = self._source.concerns(found[2], found[3])
        elif kind.startswith(_ROWS):
            number = _NUMBER.search(info)
            if number and self._tables.get(number[1], True):
                self._pending += max(1, size // _CHANGE_BYTES)
        elif self._ends(kind, info):
            self.at = self.reads_at
            self.changes += self._pending
            self._open, self._pending = False, 0

    def _ends(self, kind: str, info: str) -> bool:
        """Whether no transaction is open after an event."""
        if kind in _BETWEEN:
            return not self._open
        if kind in ("Xid", "XA_prepare"):
            return True
        word = info.strip().upper()
        if kind in ("Gtid", "Anonymous_Gtid"):
            self._open = word.startswith(("BEGIN", "XA START"))
            return False
        if kind == "Query":
            if word == "BEGIN" or word.startswith("XA START"):
                self._open = True
                return False
            return not self._open or word in ("COMMIT", "ROLLBACK")
        return False
