"""Which keys an operator's records have, as far as a sample shows."""

from __future__ import annotations

from typing import NamedTuple


class KeySample(NamedTuple):
    """Sampled keys of an operator in one subtask and epoch.

    Attributes:
        keys: How many were sampled.
        hottest: The most frequent of them as text, and how often it was met.
        groups: (key group, about how many records have it), of the most frequent ones.
    """

    keys: int
    hottest: tuple[str, int] | None
    groups: tuple[tuple[int, int], ...]
