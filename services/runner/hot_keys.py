"""The key groups and the key with the most records of an operator, over its last epochs."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import Any

from datastream.metrics import KeySample

_EPOCHS = 20
_GROUPS = 5
#: Fewer sampled keys prove nothing.
_SAMPLES = 50
#: A key that was met less often is not hot.
_TIMES = 5


class HotKeys:
    """Adds up the sampled keys of an operator."""

    def __init__(self) -> None:
        self._epochs: deque[tuple[KeySample, ...]] = deque()
        self._keys = 0
        self._groups: Counter[int] = Counter()
        self._hottest: Counter[str] = Counter()

    def add(self, samples: Iterable[KeySample]) -> None:
        """Add the samples of an epoch's subtasks."""
        found = tuple(samples)
        if not found:
            return
        self._epochs.append(found)
        self._count(found, 1)
        if len(self._epochs) > _EPOCHS:
            self._count(self._epochs.popleft(), -1)

    def _count(self, samples: tuple[KeySample, ...], times: int) -> None:
        for sample in samples:
            self._keys += times * sample.keys
            for group, records in sample.groups:
                self._groups[group] += times * records
                if not self._groups[group]:
                    del self._groups[group]
            if sample.hottest is not None:
                text, met = sample.hottest
                self._hottest[text] += times * met
                if not self._hottest[text]:
                    del self._hottest[text]

    def as_dict(self) -> dict[str, Any]:
        """The hottest key groups with their records, and the hottest key with its share; ready for JSON."""
        if self._keys < _SAMPLES:
            return {"hot_key_groups": [], "hot_key": None}
        [(text, times)] = self._hottest.most_common(1)
        return {
            "hot_key_groups": [list(each) for each in self._groups.most_common(_GROUPS)],
            "hot_key": [text, times / self._keys] if times >= _TIMES else None,
        }
