"""What an operator keeps in one subtask."""

from __future__ import annotations

from typing import NamedTuple


class Kept(NamedTuple):
    """Keyed state, or how it changed.

    Attributes:
        keys: Keys that have state or timers.
        bytes: What their pages take in the store; collections that have outgrown their page do not count.
        timers: Timers that are set.
    """

    keys: int = 0
    bytes: int = 0
    timers: int = 0

    def plus(self, other: Kept) -> Kept:
        """Both together."""
        return Kept(self.keys + other.keys, self.bytes + other.bytes, self.timers + other.timers)

    def minus(self, other: Kept) -> Kept:
        """The difference."""
        return Kept(self.keys - other.keys, self.bytes - other.bytes, self.timers - other.timers)

    def times(self, factor: int) -> Kept:
        """The same, multiplied by this number."""
        return Kept(self.keys * factor, self.bytes * factor, self.timers * factor)


class KeptChange(NamedTuple):
    """How what an operator keeps changed in an epoch.

    Attributes:
        change: By how much.
        before: What it kept before; None: it was reported earlier.
    """

    change: Kept
    before: Kept | None = None
