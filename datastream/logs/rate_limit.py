"""How many messages a line of code may log in a second: a function logs once a record, and there are many."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from .entry import Entry

_LENGTH_S = 1.0
#: Lines of code that are remembered at most; generated code may have any number of them.
_MOST = 10_000


@dataclass(slots=True)
class Window:
    """What a line of code has logged within a second.

    Attributes:
        start: When the second began.
        admitted: How many messages were logged.
        left_out: How many were not.
        sample: The fields of the first one that was not.
    """

    start: float
    admitted: int = 0
    left_out: int = 0
    sample: Entry | None = None


class RateLimit:
    """Counts messages by the line of code that logs them. Not for several threads at a time.

    Args:
        per_second: How many messages a line may log in a second; 0: any number.
        clock: Returns seconds.
    """

    def __init__(self, per_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_second = per_second
        self._clock = clock
        self._windows: dict[Hashable, Window] = {}
        self._limited: list[Window] = []

    def admit(self, site: Hashable) -> Window | None:
        """None if a message of a line of code is to be logged, else the window that counts it as left out."""
        if not self.per_second:
            return None
        now = self._clock()
        window = self._windows.get(site)
        if window is None or now - window.start >= _LENGTH_S:
            if len(self._windows) >= _MOST:
                self._windows.clear()
            window = self._windows[site] = Window(now)
        if window.admitted < self.per_second:
            window.admitted += 1
            return None
        window.left_out += 1
        if window.left_out == 1:
            self._limited.append(window)
        return window

    def take_left_out(self, all: bool = False) -> list[Window]:
        """The windows that have left messages out and have ended, or all that have; each message counts once."""
        if not self._limited:
            return []
        now = self._clock()
        taken, rest = [], []
        for window in self._limited:
            if all or now - window.start >= _LENGTH_S:
                taken.append(replace(window))
                window.left_out, window.sample = 0, None
            else:
                rest.append(window)
        self._limited = rest
        return taken
