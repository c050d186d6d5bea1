"""A list of one key that has outgrown its page: its elements lie in chunks, but for the last few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from datastream.stored_types import stored_as
from datastream.types.pickles import dumps

from .chunks import CHUNK_BYTES, Chunks, Spot

_AHEAD = 16


@stored_as("spilled_list", attrgetter("group", "id", "first", "end", "target", "tail", "latest"))
class SpilledList:
    """What the page keeps of the list: where its chunks are, and its last elements.

    Attributes:
        group: The key group.
        id: The number of the collection in the key group.
        first: The number of the first chunk.
        end: The number after the last chunk's.
        target: How many elements a chunk holds.
        tail: The elements after the last chunk.
        latest: When an element was last touched, in ms; None where elements do not expire.
        cache: The chunks in memory.
    """

    __slots__ = ("group", "id", "first", "end", "target", "tail", "latest", "cache")

    cache: Chunks

    def __init__(
        self, group: int, id: int, first: int, end: int, target: int, tail: list[Any], latest: int | None
    ) -> None:
        self.group, self.id, self.first, self.end = group, id, first, end
        self.target, self.tail, self.latest = target, tail, latest

    @classmethod
    def of(cls, elements: list[Any], group: int, id: int, cache: Chunks, latest: int | None) -> SpilledList:
        """Move the elements of a list to chunks."""
        target = min(256, max(1, CHUNK_BYTES * len(elements) // len(dumps(elements))))
        made = cls(group, id, 0, 0, target, [], latest)
        made.cache = cache
        made.extend(elements)
        return made

    def append(self, element: Any) -> None:
        self.tail.append(element)
        if len(self.tail) >= self.target:
            self.cache.put(self._spot(self.end), self.tail)
            self.end += 1
            self.tail = []

    def extend(self, elements: list[Any]) -> None:
        for element in elements:
            self.append(element)

    def reader(self) -> tuple[Callable[[], Iterator[Any]], Callable[[], int], Callable[[], Any]]:
        """What reads all elements that are there now, with their number and the last of them, where none expires."""
        first, end, tail = self.first, self.end, self.tail.copy()

        def read() -> Iterator[Any]:
            for _, part in self._chunks(first, end, tail):
                yield from part

        def size() -> int:
            return (end - first) * self.target + len(tail)

        def last() -> Any:
            return tail[-1] if tail else self.cache.get(self._spot(end - 1))[-1]

        return read, size, last

    def chunks(self) -> Callable[[], Iterator[tuple[int, list[Any]]]]:
        """What gives every chunk that is there now with its number, and last the tail, read a few at a time."""
        return partial(self._chunks, self.first, self.end, self.tail.copy())

    def _chunks(self, first: int, end: int, tail: list[Any]) -> Iterator[tuple[int, list[Any]]]:
        for start in range(first, end, _AHEAD):
            ahead = range(start, min(start + _AHEAD, end))
            self.cache.prefetch(self._spot(i) for i in ahead)
            for i in ahead:
                yield i, list(self.cache.get(self._spot(i)))
        yield end, tail

    def replace(self, index: int, elements: list[Any]) -> None:
        """Set the elements of a chunk that is still there."""
        if self.first <= index < self.end:
            self.cache.put(self._spot(index), elements)

    def drop(self) -> None:
        """Remove all chunks, at the end of the epoch."""
        self.cache.condemn(self.group, self.id, range(self.first, self.end))

    def expire(self, before: int) -> None:
        """Drop leading chunks whose elements were all last touched at a time or before it.

        Looks at a chunk that must stay once an epoch.
        """
        first = self.first
        while first < self.end and self._spot(first) not in self.cache.cleaned:
            if max(touched for touched, _ in self.cache.get(self._spot(first))) > before:
                self.cache.cleaned.add(self._spot(first))
                break
            first += 1
        if first > self.first:
            self.cache.condemn(self.group, self.id, range(self.first, first))
            self.first = first

    def _spot(self, index: int) -> Spot:
        return self.group, self.id, index
