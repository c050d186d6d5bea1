"""Measures the operators of one task in one epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter_ns
from typing import TypeVar

from datastream.metrics import Kept, KeptChange, KeySample, SubtaskMeasures
from datastream.time import MAX_WATERMARK, MIN_WATERMARK

from .chain_code import Chain
from .pages import Store

T = TypeVar("T")


class Meter:
    """What the operators of a task got and emitted, and how long that took, by operator id.

    Attributes:
        received: Records in, besides those that chains tell.
        given: Records out, besides those that chains tell.
        busy_ns: Time that was spent in an operator and in those fused after it.
        kept: How the keyed state of operators changed.
        parts: Watermarks of what an operator's event time is made of, such as a source's partitions.
        samples: Keys that were sampled.
    """

    def __init__(self) -> None:
        self.received: Counter[int] = Counter()
        self.given: Counter[int] = Counter()
        self.busy_ns: Counter[int] = Counter()
        self.kept: dict[int, KeptChange] = {}
        self.parts: dict[int, Mapping[str, int]] = {}
        self.samples: dict[int, KeySample] = {}

    def timed(self, operator: int, results: Iterable[T]) -> Iterator[T]:
        """The same results; the time that it takes to make them counts as the operator's."""
        iterator = iter(results)
        while True:
            began = perf_counter_ns()
            try:
                result = next(iterator)
            except StopIteration:
                return
            finally:
                self.busy_ns[operator] += perf_counter_ns() - began
            yield result

    def measures(self, chains: Iterable[Chain], watermarks: dict[int, int]) -> dict[int, SubtaskMeasures]:
        """What came to be, at the epoch's end.

        Args:
            chains: That have run in the epoch.
            watermarks: Event time of operators, in ms.
        """
        received, given = Counter(self.received), Counter(self.given)
        for chain in chains:
            if chain.tally is not None:
                for id, records in chain.tally.received():
                    received[id] += records
                for id, records in chain.tally.given():
                    given[id] += records
        return {
            id: SubtaskMeasures(
                received[id],
                given[id],
                self.busy_ns[id],
                _shown(watermarks.get(id)),
                self.kept.get(id),
                _all_shown(self.parts.get(id)),
                self.samples.get(id),
            )
            for id in received.keys() | given.keys() | self.busy_ns.keys() | watermarks.keys()
        }


class MeteredStore:
    """A store with word that how what is kept changes is to be noted."""

    metered = True

    def __init__(self, store: Store) -> None:
        self.copies = store.copies
        self.get, self.put, self.delete = store.get, store.put, store.delete


def together(parts: Iterable[Kept]) -> Kept:
    """What an operator keeps in several places; the same keys have something in each."""
    first, *others = parts
    for each in others:
        first = first.plus(each._replace(keys=0))
    return first


def _all_shown(parts: Mapping[str, int] | None) -> dict[str, int]:
    return {part: mark for part, mark in (parts or {}).items() if _shown(mark) is not None}


def _shown(watermark: int | None) -> int | None:
    return watermark if watermark is not None and MIN_WATERMARK < watermark < MAX_WATERMARK else None
