"""Changes that the connector `print` has printed, and what is left of them."""

from __future__ import annotations

import re
from collections import Counter

#: A line: kind and row, after the number of the subtask.
_LINE = re.compile(r"(?:\d+> )?([+-][IUD])\[(.*)\]$")


class Changes:
    """The rows that are left, and how many changes of each kind there were.

    Args:
        replacing: A row replaces that with the same first column, whether or not the change before has taken it away.
    """

    def __init__(self, replacing: bool = False) -> None:
        self.rows: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self._of_key: dict[str, str] | None = {} if replacing else None

    def read(self, line: str) -> None:
        """Apply the change of a line, if it is one."""
        found = _LINE.match(line)
        if found is None:
            return
        kind, row = found.groups()
        self.kinds[kind] += 1
        if self._of_key is None:
            self._add(row, 1 if kind in ("+I", "+U") else -1)
        elif kind != "-U":
            key = row.partition(",")[0]
            if key in self._of_key:
                self._add(self._of_key.pop(key), -1)
            if kind != "-D":
                self._of_key[key] = row
                self._add(row, 1)

    def _add(self, row: str, number: int) -> None:
        self.rows[row] += number
        if not self.rows[row]:
            del self.rows[row]
