"""A source with partitions, as a topic has them: each has a rate, and its own delay."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from datastream.io import Batch, Produced, Source, SourceReader, SplitEnumerator

WAVE_S = 36.0
"""Rates rise and fall within this time."""


@dataclass(frozen=True)
class Range:
    """Records of one partition."""

    lane: str
    start: int
    end: int
    started_ms: float


@dataclass(frozen=True)
class Partitions(Source):
    """Record number i of a partition is ``make(partition, i)``.

    Args:
        topic: Its name.
        rates: Mean records per second, by partition.
        delays_ms: How long records took to come here, by partition.
        make: Makes a record.
    """

    topic: str
    rates: tuple[float, ...]
    delays_ms: tuple[int, ...]
    make: Callable[[int, int], Any]
    bounded = False

    @property
    def produced(self) -> Produced:
        return Produced(timestamps=True, lanes=True)

    def create_enumerator(self, context: Any) -> SplitEnumerator:
        return PartitionsEnumerator(self)

    def create_reader(self, context: Any) -> SourceReader:
        return PartitionsReader(self)

    def names(self) -> list[str]:
        return [f"{self.topic}-{partition}" for partition in range(len(self.rates))]


class PartitionsEnumerator(SplitEnumerator):
    """An offset holds when the job began, and how many records of each partition were read."""

    def __init__(self, source: Partitions) -> None:
        self._source = source

    def initial_offset(self) -> Any:
        return {"started_ms": time.time() * 1000, "read": [0] * len(self._source.rates)}

    def latest_offset(self, start: Any, budget: int) -> Any:
        share = max(1, budget // len(start["read"]))
        read = [min(there, n + share) for n, there in zip(start["read"], self._arrived(start), strict=True)]
        return {**start, "read": read}

    def splits(self, start: Any, end: Any, parallelism: int) -> list[Range]:
        parts = zip(self._source.names(), start["read"], end["read"], strict=True)
        return [Range(name, low, high, start["started_ms"]) for name, low, high in parts if high > low]

    def lanes(self, offset: Any) -> list[str]:
        return self._source.names()

    def backlog(self, offset: Any) -> dict[str, int]:
        waiting = [there - n for n, there in zip(offset["read"], self._arrived(offset), strict=True)]
        return dict(zip(self._source.names(), waiting, strict=True))

    def _arrived(self, offset: Any) -> list[int]:
        age_s = time.time() - offset["started_ms"] / 1000
        turn = 2 * math.pi / WAVE_S
        risen_s = age_s + 0.35 * (1 - math.cos(turn * age_s)) / turn
        return [max(n, int(risen_s * rate)) for n, rate in zip(offset["read"], self._source.rates, strict=True)]


class PartitionsReader(SourceReader):
    """Makes the records of ranges."""

    def __init__(self, source: Partitions) -> None:
        self._source = source

    def read(self, split: Range) -> Iterator[Batch]:
        partition = int(split.lane.rpartition("-")[2])
        first_ms = split.started_ms - self._source.delays_ms[partition]
        rate = self._source.rates[partition]
        numbers = range(split.start, split.end)
        records = [self._source.make(partition, n) for n in numbers]
        yield Batch(records, [int(first_ms + 1000 * n / rate) for n in numbers])
