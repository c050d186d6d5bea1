"""The rows of a result as they are now."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from datastream.types import RowKind

Cells = tuple[str, ...]


class CurrentRows:
    """The rows that a view shows, made of changes.

    Args:
        changelog: All changes are rows, with their kinds in front; else those rows that are there.
        most: This number of rows is kept, the latest.
    """

    def __init__(self, changelog: bool, most: int) -> None:
        self._changelog, self._most = changelog, most
        self._rows: dict[int, Cells] = {}
        self._numbers: dict[Cells, list[int]] = {}
        self._next = 0
        self._updated: int | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def page(self, start: int, count: int) -> Iterator[Cells]:
        """Some rows, by their places."""
        return islice(self._rows.values(), start, start + count)

    def take(self, kind: RowKind, cells: Cells) -> None:
        """Take a change. A row that is updated keeps its place."""
        if self._changelog:
            self._add(self._next, (str(kind), *cells))
            return
        place, self._updated = self._updated, None
        if place is not None and kind is not RowKind.UPDATE_AFTER:
            del self._rows[place]
            place = None
        match kind:
            case RowKind.INSERT | RowKind.UPDATE_AFTER:
                self._add(self._next if place is None else place, cells)
            case RowKind.UPDATE_BEFORE:
                self._updated = self._forget(cells)
            case RowKind.DELETE:
                found = self._forget(cells)
                if found is not None:
                    del self._rows[found]

    def _add(self, number: int, cells: Cells) -> None:
        self._rows[number] = cells
        self._next = max(self._next, number + 1)
        if not self._changelog:
            self._numbers.setdefault(cells, []).append(number)
        if len(self._rows) > self._most:
            oldest = next(iter(self._rows))
            gone = self._rows.pop(oldest)
            if not self._changelog:
                self._drop(gone, oldest)

    def _forget(self, cells: Cells) -> int | None:
        """The number of the latest row of these; None: it is not kept any more."""
        numbers = self._numbers.get(cells)
        if not numbers:
            return None
        number = numbers[-1]
        self._drop(cells, number)
        return number

    def _drop(self, cells: Cells, number: int) -> None:
        numbers = self._numbers[cells]
        numbers.remove(number)
        if not numbers:
            del self._numbers[cells]
