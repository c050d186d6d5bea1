"""Windows that each key keeps, with timers for their ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from datastream.graph.operators import WindowAggregate
from datastream.graph.slots import OPEN_WINDOWS
from datastream.runtime.hosts.host import KeyedHost, Out, Setting, Times, chunks
from datastream.runtime.pages import Store
from datastream.time import TimeDomain

from .generated_code import check_times, note_record
from .window_base import WindowAggregateBase


class KeyedWindowBase(WindowAggregateBase, KeyedHost):
    """Windows lie in the content of their key, which has a timer for the end of the next one."""

    def __init__(self, op: WindowAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._opened: dict[Any, Any] = {}
        timers = self.states.timers
        self._domain = TimeDomain.PROCESSING_TIME if op.processing else TimeDomain.EVENT_TIME
        self._set_timer = timers.register_processing_time_timer if op.processing else timers.register_event_time_timer

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._opened.clear()

    def _nothing(self) -> Any:
        """What a key without windows has."""
        raise NotImplementedError

    def _run(self, keys: list[Any], records: list[Any]) -> None:
        """Take rows in."""
        raise NotImplementedError

    def _fire_key(self, key: Any, timer: int, give: Callable[[Any], None]) -> bool:
        """Give what is due of the key in hand, and set its next timer; whether it has windows left.

        Args:
            key: The key.
            timer: The time of the timer that fires, in ms.
            give: Takes results.
        """
        raise NotImplementedError

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self._load(keys)
        try:
            self._run(keys, records)
        except BaseException as error:
            note_record(self, error)
            if not self._op.parts and not self._op.processing:
                check_times(self, error, records, self._op.time + self._op.changes)
            raise
        self.states.cell.leave()
        return self.untimed([])

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is self._domain:
            yield from map(self.untimed, chunks(self._due(time)))

    def _due(self, time: int) -> Iterator[list[Any]]:
        """Results of what is due at a time, in ms, or before it."""
        for timestamp, key in self.states.fire(self._domain, time):
            if key not in self._opened:
                self._open(key)
            out: list[Any] = []
            if not self._fired(key, timestamp, out.append):
                self.states.cell.content.pop(OPEN_WINDOWS, None)
                del self._opened[key]
            yield out

    def _load(self, keys: Iterable[Any]) -> None:
        """Bring in what these keys have."""
        new = set(keys).difference(self._opened)
        if new:
            self.states.load(new)
            for key in new:
                self._open(key)

    def _fired(self, key: Any, timer: int, give: Callable[[Any], None]) -> bool:
        try:
            return self._fire_key(key, timer, give)
        except BaseException as error:
            note_record(self, error)
            raise

    def _open(self, key: Any) -> None:
        found = self.states.values[key].get(OPEN_WINDOWS)
        self._opened[key] = self._nothing() if found is None else found

    def _keep(self, key: Any, timer: int) -> None:
        """Store what a key has, with a timer in ms."""
        cell = self.states.cell
        cell.key, cell.content = key, self.states.values[key]
        cell.content[OPEN_WINDOWS] = self._opened[key]
        self._set_timer(timer)
