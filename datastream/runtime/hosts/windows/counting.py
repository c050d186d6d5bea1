"""Windows of a number of records of a key that fire when they are full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.graph.operators import Window
from datastream.graph.slots import COUNTED
from datastream.runtime.hosts.host import Out, Setting, Times
from datastream.runtime.keyed_state import detached
from datastream.time import MAX_WATERMARK, TimeDomain
from datastream.windows import CountWindow

from .base import SlotHost
from .slots import user_states


class CountWindowHost(SlotHost):
    """Each key keeps how many records it had, and what is in its window."""

    def __init__(self, op: Window, setting: Setting) -> None:
        assigner: Any = op.operation.assigner
        self._size: int = assigner.window_size
        super().__init__(op, setting, (COUNTED, self._size))

    def _nothing(self) -> list[Any]:
        return [0, None]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self._open(keys)
        opened, values, slot, size = self._opened, self.states.values, self._slot, self._size
        first, add = self._folding.first, self._folding.add
        out: list[Any] = []
        fired: set[Any] = set()
        record = None
        try:  # not shared with other windows: what is inline here would be a call for each record
            for key, record in zip(keys, records):  # noqa: B905 - a block's halves have one length
                counted = opened[key]
                number = counted[0]
                if not number:
                    values[key][slot] = counted
                counted[1] = add(counted[1], record) if number % size else first(record)
                counted[0] = number = number + 1
                if not number % size:
                    self._give(key, counted, record, out)
                    fired.add(key)
        except BaseException:
            self.note_failure(record, self._folding.adding)
            raise
        self.states.cell.leave()
        out = detached(out, [user_states(values[key]) for key in fired])
        return out, [MAX_WATERMARK] * len(out) if self.setting.timed else None

    def _give(self, key: Any, counted: list[Any], record: Any, out: list[Any]) -> None:
        number, accumulator = counted
        counted[1] = None
        try:
            elements = self._folding.elements(accumulator)
        except BaseException:
            self.note_failure(record, self._folding.giving)
            raise
        if elements and not self._calling.plain:
            self._point(key)
            id = number // self._size - 1
            elements = self._calling.results(CountWindow(id), id, elements, record)
        out += elements

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        return iter(())
