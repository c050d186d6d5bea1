"""What an operator in a task got in an epoch."""

from __future__ import annotations

from collections import Counter
from random import random
from typing import Any

from datastream.errors import cut

#: One key in so many is looked at. A prime, so that keys that come in turns are all met.
STRIDE = 61
#: Characters of a key that are reported.
KEY_LIMIT = 80


class Intake:
    """Counts the records of one operator in one task and epoch by block, and samples their keys.

    Args:
        samples: Whether keys are sampled.

    Attributes:
        records: Records that came.
        gave: The operator gave results.
        keys: The sampled keys.
    """

    __slots__ = ("records", "gave", "keys", "_samples")

    def __init__(self, samples: bool) -> None:
        self.records = 0
        self.gave = False
        self.keys: list[Any] = []
        self._samples = samples

    def take(self, records: list[Any], keys: list[Any] | None) -> None:
        """Count a block."""
        self.records += len(records)
        if keys is not None and self._samples:
            self.keys += keys[int(random() * STRIDE) :: STRIDE]

    def hottest(self) -> tuple[str, int] | None:
        """The most frequent of the sampled keys, as text, and how often it was met."""
        if not self.keys:
            return None
        key, count = Counter(self.keys).most_common(1)[0]
        text = cut(key)
        return text if len(text) <= KEY_LIMIT else f"{text[: KEY_LIMIT - 3]}...", count
