"""Timers of the keys of one operator in one subtask."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any

from datastream.graph.slots import EVENT_TIME, PROCESSING_TIME
from datastream.time import TimerService
from datastream.whole_numbers import whole_number

from .cell import Cell

#: The watermark before the first one.
NO_WATERMARK = -(1 << 63)
#: What the time of a timer must be.
TIMER = "the time of a timer must be an int, in ms"


class Timers(TimerService):
    """Keeps each key's timers in its content, sorted, and knows which are next.

    For each key with timers that were set, or found to be due, in this epoch, at least its next one is known: its time
    stands in a heap, the key in the list of that time, as many keys often have the same time. An entry that is no
    longer true is passed over when its turn comes. What is not known is in pages that `TimedPages.due` will find.

    Attributes:
        watermark: The current watermark in ms; set by whoever knows it.
    """

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self.watermark = NO_WATERMARK
        self.begin()

    def begin(self) -> None:
        """Forget what is known: another epoch begins."""
        self._times: tuple[list[int], list[int]] = ([], [])
        self._keys: tuple[dict[int, list[Any]], dict[int, list[Any]]] = ({}, {})

    def current_processing_time(self) -> int:
        return self._cell.clock()

    def current_watermark(self) -> int:
        return self.watermark

    def register_processing_time_timer(self, timestamp: int) -> None:
        self._register(PROCESSING_TIME, timestamp)

    def register_event_time_timer(self, timestamp: int) -> None:
        timers = self._cell.content.get(EVENT_TIME)
        if timers is not None and type(timestamp) is int and timestamp > timers[-1]:  # as most often
            timers.append(timestamp)
        else:
            self._register(EVENT_TIME, timestamp)

    def delete_processing_time_timer(self, timestamp: int) -> None:
        self._delete(PROCESSING_TIME, timestamp)

    def delete_event_time_timer(self, timestamp: int) -> None:
        self._delete(EVENT_TIME, timestamp)

    def fire(self, domain: int, time: int) -> Iterator[tuple[int, Any]]:
        """Take out the timers at a time or before it, in the order of their times: (timestamp, key).

        Among equal times, the order is that of pages and of registration, and so the same in a replay. The cell points
        at the key whose timer was given, at the end at none. Timers that are set meanwhile, and due, fire in the same
        round; those deleted meanwhile do not.

        Args:
            domain: `EVENT_TIME` or `PROCESSING_TIME`.
            time: In ms.
        """
        cell, values = self._cell, self._cell.pages.values
        times, keys = self._times[domain], self._keys[domain]
        for least, key in cell.pages.due(domain, time):
            self._come(domain, least, key)
        while times and times[0] <= time:
            timestamp = heappop(times)
            waiting = keys[timestamp]
            fired = 0
            for key in waiting:  # more may come while it fires
                fired += 1
                content = values[key]
                timers = content.get(domain)
                if timers and timers[0] == timestamp:
                    if len(timers) > 1:
                        self._take_first(domain, key, content)
                    else:
                        del content[domain]
                    cell.key, cell.content = key, content
                    yield timestamp, key
                    if times and times[0] < timestamp:  # set meanwhile, for an earlier time
                        break
            del waiting[:fired]
            if waiting:
                heappush(times, timestamp)
            else:
                del keys[timestamp]
        cell.leave()

    def _register(self, domain: int, timestamp: int) -> None:
        if type(timestamp) is not int:
            timestamp = whole_number(timestamp, TIMER)
        cell = self._cell
        timers = cell.content.get(domain)
        if timers is None:
            cell.content[domain] = [timestamp]
        elif timestamp > timers[-1]:
            timers.append(timestamp)
            return
        else:
            i = bisect_left(timers, timestamp)
            if timers[i] == timestamp:
                return
            timers.insert(i, timestamp)
            if i:
                return
        self._come(domain, timestamp, cell.key)

    def _delete(self, domain: int, timestamp: int) -> None:
        if type(timestamp) is not int:
            timestamp = whole_number(timestamp, TIMER)
        content = self._cell.content
        timers = content.get(domain, ())
        i = bisect_left(timers, timestamp)
        if i == len(timers) or timers[i] != timestamp:
            return
        if i:
            del timers[i]
        else:
            self._take_first(domain, self._cell.key, content)

    def _take_first(self, domain: int, key: Any, content: dict[Any, Any]) -> None:
        timers = content[domain]
        if len(timers) > 1:
            del timers[0]
            self._come(domain, timers[0], key)
        else:
            del content[domain]

    def _come(self, domain: int, timestamp: int, key: Any) -> None:
        waiting = self._keys[domain].get(timestamp)
        if waiting is None:
            self._keys[domain][timestamp] = [key]
            heappush(self._times[domain], timestamp)
        else:
            waiting.append(key)
