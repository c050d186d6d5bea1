"""The rows that a key of a sink has, in the order in which they came."""

from __future__ import annotations

from typing import Any

from .nan_rows import find_row

Row = tuple[Any, ...]


class SinkRows:
    """Adds rows to lists of rows, and takes them out.

    Args:
        upsert: Indexes of the columns by which the query changes its rows; None: rows are known by all columns.
    """

    def __init__(self, upsert: tuple[int, ...] | None) -> None:
        self._upsert = upsert

    def put(self, rows: list[Row], row: Row) -> None:
        """A row comes, or takes the place of the one that it changes."""
        at = None if self._upsert is None else self.find(rows, row)
        if at is None:
            rows.append(row)
        else:
            rows[at] = row

    def take(self, rows: list[Row], row: Row) -> int | None:
        """A row goes: the place that it had, or None where it was not there."""
        at = self.find(rows, row)
        if at is not None:
            del rows[at]
        return at

    def find(self, rows: list[Row], row: Row) -> int | None:
        """The place of a row, as it is or changed."""
        return find_row(rows if self._upsert is None else list(map(self.known_by, rows)), self.known_by(row))

    def known_by(self, row: Row) -> Row:
        """What a row is known by."""
        return row if self._upsert is None else tuple(row[i] for i in self._upsert)
