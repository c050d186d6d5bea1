"""What an operator in a task got in an epoch."""

from __future__ import annotations

from collections import Counter
from random import random, sample
from typing import Any

from datastream.errors import cut
from datastream.metrics import KeySample
from datastream.runtime.key_groups import UnknownEquality, key_group, stable_hash

#: One key in this number is looked at. A prime, so that keys that come in turns are all met.
STRIDE = 61
#: Characters of a key that are reported.
KEY_LIMIT = 80
#: Of this number of keys at most the key groups are looked at, and this number of key groups are reported.
MOST_HASHED = 500
MOST_GROUPS = 8


class Intake:
    """Counts the records of one operator in one task and epoch by block, and samples their keys.

    Args:
        samples: Whether keys are sampled.

    Attributes:
        records: Records that came.
        gave: The operator gave results.
        keys: The sampled keys.
    """

    __slots__ = ("records", "gave", "keys", "_samples", "_hottest")

    def __init__(self, samples: bool) -> None:
        self.records = 0
        self.gave = False
        self.keys: list[Any] = []
        self._samples = samples
        self._hottest: tuple[str, int] | None = None

    def take(self, records: list[Any], keys: list[Any] | None) -> None:
        """Count a block."""
        self.records += len(records)
        if keys is not None and self._samples:
            self.keys += keys[int(random() * STRIDE) :: STRIDE]

    def hottest(self) -> tuple[str, int] | None:
        """The most frequent of the sampled keys, as text, and how often it was met."""
        if self._hottest is None and self.keys:
            key, count = Counter(self.keys).most_common(1)[0]
            text = cut(key)
            self._hottest = text if len(text) <= KEY_LIMIT else f"{text[: KEY_LIMIT - 3]}...", count
        return self._hottest

    def sample(self, key_groups: int) -> KeySample | None:
        """What was sampled, for who looks at the job; None: nothing. Call at the epoch's end.

        Args:
            key_groups: How many key groups the operator has.
        """
        if not self.keys:
            return None
        # By chance, too: every second of them would be every 122nd key, which meets half of those that come in turns.
        hashed = self.keys if len(self.keys) <= MOST_HASHED else sample(self.keys, MOST_HASHED)
        stands_for = len(self.keys) * STRIDE / len(hashed)
        groups: Counter[int] = Counter()
        for key, times in Counter(hashed).items():
            try:
                groups[key_group(stable_hash(key), key_groups)] += round(times * stands_for)
            except (UnknownEquality, TypeError):  # who sent it has found a place for it some other way
                continue
        return KeySample(len(self.keys), self.hottest(), tuple(groups.most_common(MOST_GROUPS)))
