"""Texts of times, remembered: those of rows that follow each other are mostly of the same second, minute or day."""

from __future__ import annotations

from collections.abc import Callable

#: Texts that are remembered; when there are more, all are forgotten.
_MOST = 4096


class ShownTimes:
    """Makes texts of times.

    Args:
        show: The text of µs since 1970. What it raises is not remembered.
        unit: Times with the same quotient by so many µs have the same text.
    """

    def __init__(self, show: Callable[[int], str], unit: int) -> None:
        self._show = show
        self._unit = unit
        self._known: dict[int, str] = {}

    def text(self, micros: int) -> str:
        """The text of a time."""
        place = micros // self._unit
        found = self._known.get(place)
        if found is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            found = self._known[place] = self._show(micros)
        return found
