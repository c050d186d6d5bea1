"""Process functions of one keyed stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.functions import KeyedProcessFunction
from datastream.graph.operators import KeyedProcess
from datastream.runtime.keyed_state import KeyedStates, apart, detached
from datastream.runtime.pickled_keys import user_key
from datastream.runtime.user_errors import name_of
from datastream.time import NO_TIMESTAMP, TimeDomain, TimerService

from .block_loop import block_loop
from .host import CHUNK, KeyedHost, Out, Setting, TimerInHand, Times


class Context(KeyedProcessFunction.OnTimerContext):
    """What a function can see of the record or the timer in hand.

    Attributes:
        time: Its timestamp in ms, or None.
        domain: Of the timer that fires.
    """

    __slots__ = ("_cell", "_timers", "time", "domain")

    def __init__(self, states: KeyedStates) -> None:
        self._cell = states.cell
        self._timers = states.timers
        self.time: int | None = None
        self.domain = TimeDomain.EVENT_TIME

    def timestamp(self) -> int:
        return NO_TIMESTAMP if self.time is None else self.time

    def timer_service(self) -> TimerService:
        return self._timers

    def get_current_key(self) -> Any:
        return user_key(self._cell.key)

    def time_domain(self) -> TimeDomain:
        return self.domain


class KeyedProcessHost(KeyedHost):
    """Runs a `KeyedProcessFunction`."""

    def __init__(self, op: KeyedProcess, setting: Setting) -> None:
        super().__init__(op, setting)
        self._context = Context(self.states)
        self._element: Any = op.function
        self._on_timer: Any = getattr(op.instance, "on_timer", None)  # a map function has none

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        states = self.states
        states.load(keys)
        copies = states.keeps_objects
        loop = block_loop(True, times is not None, self.setting.timed, copies)
        out, out_times = loop(self, self._element, self._context, records, keys, times)
        states.cell.leave()
        if out and not copies:  # by its type; but nothing tests what is put in
            out = detached(out, [states.values[key] for key in set(keys)])
        return out, out_times

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        context, on_timer, cell = self._context, self._on_timer, self.states.cell
        context.domain = domain
        event = domain is TimeDomain.EVENT_TIME
        copies = self.states.keeps_objects
        out: list[Any] = []
        times: Times = []
        contents = []
        before = 0
        for timestamp, key in self.states.fire(domain, time):
            context.time = timestamp
            try:
                results = on_timer(timestamp, context)
                if results is not None:
                    out += map(apart, results) if copies else results
            except BaseException:
                self.record = TimerInHand(key, timestamp)
                self.what = f"{name_of(self.op.rich_function)}.on_timer"
                raise
            if len(out) > before:
                times += [timestamp if event else None] * (len(out) - before)
                contents.append(cell.content)
                before = len(out)
                if before >= CHUNK:
                    yield detached(out, contents), times if self.setting.timed else None
                    out, times, contents, before = [], [], [], 0
        if out:
            yield detached(out, contents), times if self.setting.timed else None
