"""Partial matches in the order of `java.util.PriorityQueue`: which of equal ones comes first is as in Flink.

A queue is a list, the heap itself. Matches are in the order of their first rows; one that has no row yet is the last.
"""

from __future__ import annotations

from typing import NamedTuple


class Partial(NamedTuple):
    """A match that is not complete, or waits for earlier ones.

    Attributes:
        state: Where it is in the pattern.
        stamp: The time of its first row, in ms.
        bounds: For each part of the pattern that was reached, where its rows begin among those that are kept; of a
            complete match also where the last one ends.
    """

    state: int
    stamp: int
    bounds: tuple[int, ...]

    @property
    def start(self) -> float:
        """The place of its first row."""
        return self.bounds[0] if self.bounds else float("inf")


def put(queue: list[Partial], match: Partial) -> None:
    """Put a match into a queue."""
    place, start = len(queue), match.start
    queue.append(match)
    while place:
        parent = (place - 1) >> 1
        if start >= queue[parent].start:
            break
        queue[place] = queue[parent]
        place = parent
    queue[place] = match


def pop(queue: list[Partial]) -> Partial:
    """Take the first match out of a queue."""
    first, last = queue[0], queue.pop()
    if queue:
        queue[0] = last
        _sink(queue, 0)
    return first


def drop(queue: list[Partial], last: int) -> None:
    """Take matches out of a queue that begin with the row at a place, or with one before."""
    kept = [each for each in queue if each.start > last]
    if len(kept) != len(queue):
        queue[:] = kept
        for place in range((len(queue) >> 1) - 1, -1, -1):
            _sink(queue, place)


def _sink(queue: list[Partial], place: int) -> None:
    match, count = queue[place], len(queue)
    start, half = match.start, count >> 1
    while place < half:
        child = 2 * place + 1
        if child + 1 < count and queue[child].start > queue[child + 1].start:
            child += 1
        if start <= queue[child].start:
            break
        queue[place] = queue[child]
        place = child
    queue[place] = match
