"""Process functions of one keyed stream."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from datastream.functions import KeyedProcessFunction
from datastream.graph import Operator
from datastream.runtime.keyed_state import KeyedStates, apart, detached
from datastream.time import TimeDomain, TimerService

from .host import CHUNK, KeyedHost, Out, Setting, TimerInHand, Times


class Context(KeyedProcessFunction.OnTimerContext):
    """What a function is told about the record or the timer in hand.

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

    def timestamp(self) -> int | None:
        return self.time

    def timer_service(self) -> TimerService:
        return self._timers

    def get_current_key(self) -> Any:
        return self._cell.key

    def time_domain(self) -> TimeDomain:
        return self.domain


def _as_it_is(result: Any) -> Any:
    return result


class KeyedProcessHost(KeyedHost):
    """Runs a `KeyedProcessFunction`."""

    def __init__(self, op: Operator, setting: Setting) -> None:
        super().__init__(op, setting)
        self._context = Context(self.states)
        self._element = op.function
        self._on_timer = op.instance.on_timer

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        states, context, element = self.states, self._context, self._element
        states.load(keys)
        cell, values = states.cell, states.values
        out: list[Any] = []
        give = out.append
        timed = self.setting.timed
        out_times: Times = []
        give_time = out_times.append
        record = None
        context.time = None
        try:
            if states.keeps_objects:  # what is given must stay as it is, though the state may go on changing
                for key, record, context.time in zip(keys, records, times or repeat(None)):  # noqa: B905
                    cell.key = key
                    cell.content = values[key]
                    for result in () if (r := element(record, context)) is None else r:
                        give(apart(result))
                        give_time(context.time)
            elif times is None:
                for key, record in zip(keys, records):  # noqa: B905 - a block's halves have one length
                    cell.key = key
                    cell.content = values[key]
                    for result in () if (r := element(record, context)) is None else r:
                        give(result)
                out_times = [None] * len(out) if timed else []
            else:
                for key, record, time in zip(keys, records, times):  # noqa: B905
                    cell.key = key
                    cell.content = values[key]
                    context.time = time
                    for result in () if (r := element(record, context)) is None else r:
                        give(result)
                        give_time(time)
        except BaseException:
            self.record = record
            raise
        cell.leave()
        if out and not states.keeps_objects:  # by its type; but nothing tests what is put in
            out = detached(out, [values[key] for key in set(keys)])
        return out, out_times if timed else None

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        context, on_timer, cell = self._context, self._on_timer, self.states.cell
        context.domain = domain
        event = domain is TimeDomain.EVENT_TIME
        hold = apart if self.states.keeps_objects else _as_it_is
        out: list[Any] = []
        times: Times = []
        contents = []
        for timestamp, key in self.states.fire(domain, time):
            context.time = timestamp
            before = len(out)
            try:
                for result in () if (r := on_timer(timestamp, context)) is None else r:
                    out.append(hold(result))
            except BaseException:
                self.record = TimerInHand(key, timestamp)
                self.what = f"{type(self.op.instance).__qualname__}.on_timer"
                raise
            if len(out) > before:
                times += [timestamp if event else None] * (len(out) - before)
                contents.append(cell.content)
                if len(out) >= CHUNK:
                    yield detached(out, contents), times if self.setting.timed else None
                    out, times, contents = [], [], []
        if out:
            yield detached(out, contents), times if self.setting.timed else None
