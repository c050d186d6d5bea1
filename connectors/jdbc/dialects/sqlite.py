"""SQLite."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from datastream.errors import ValidationError

from .base import Dialect

_TAKEN = {int, float, str, bytes, bool, type(None)}


class SQLite(Dialect):
    """SQLite, of the standard library. One writer at a time: the others wait."""

    parameter = "?"
    quote = "`"  # in double quotes a name that it does not know would be a text
    typed = False
    _WAIT_S = 60.0

    def check(self) -> None:
        if self._path() in ("", ":memory:"):
            raise ValidationError(
                f"{self._options.url}: a database in memory is of one process alone, and workers are several: name a "
                "file"
            )

    def connect(self) -> Any:
        import sqlite3

        if not Path(self._path()).exists():  # SQLite would make an empty one
            raise ValidationError(f"{self._options.url}: there is no such file")
        with self.away():
            return sqlite3.connect(self._path(), timeout=self._WAIT_S, check_same_thread=False)

    def _path(self) -> str:
        return self._options.url.removeprefix("jdbc:sqlite:").partition("?")[0]

    def is_away(self, error: Exception) -> bool:
        import sqlite3

        # By its code, never by words: a message may quote a record. The lower byte of a code is its kind.
        away = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
        return isinstance(error, sqlite3.OperationalError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in away

    def takes(self, values: Sequence[Any]) -> bool:
        found = set(map(type, values))
        return found <= _TAKEN and not (float in found and any(value != value for value in values))

    def value(self, value: Any) -> Any:
        """SQLite knows numbers, texts and bytes: all else as text, as Java's driver writes it."""
        if isinstance(value, (datetime, date, time)):
            return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
        if isinstance(value, Decimal):
            return format(value, "f")
        if isinstance(value, float) and math.isnan(value):
            raise ValidationError(f"{self.shown()}: SQLite has no NaN and would keep NULL: write another value for it")
        return str(value) if isinstance(value, timedelta) else value
