"""Keyed functions with state, timers and windows: on the engine, and the same work as plain loops.

Record i has one of `keys` keys and the timestamp i ms, so that a key has a record every `keys` ms in the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench.engine import ENDLESS, EPOCH_RECORDS, environment, rate
from bench.functions import key
from bench.plain import chunks, together
from datastream import KeyedProcessFunction, Types
from datastream.api.data_stream import DataStream
from datastream.functions import AggregateFunction
from datastream.state import ValueStateDescriptor
from datastream.time import Duration, Time, TimestampAssigner, WatermarkStrategy
from datastream.windows import EventTimeSessionWindows, TumblingEventTimeWindows

#: Records of a key in a window, and between two of its timers, in the mean.
_RECORDS = 10


def event(keys: int) -> Callable[[int], tuple[int, int, int]]:
    """A function: number -> (key, 1, timestamp in ms)."""
    return lambda i: (((i * 2654435761) & 0xFFFFFFFF) % keys, 1, i)


class EventTime(TimestampAssigner):
    """The third field."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return value[2]  # type: ignore[no-any-return]


class Count(KeyedProcessFunction):
    """Counts the records of a key in a value state."""

    def open(self, runtime_context: Any) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: Any, ctx: Any) -> Iterator[Any]:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield value[0], count


class Report(Count):
    """Counts, and gives the count when a timer fires, on the next of evenly spaced times."""

    def __init__(self, every: int) -> None:
        self.every = every

    def process_element(self, value: Any, ctx: Any) -> None:  # type: ignore[override]
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(value[2] // self.every * self.every + self.every)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Any]:
        yield ctx.get_current_key(), timestamp, self.count.value()


class Sum(AggregateFunction):
    """Adds up the second fields."""

    def create_accumulator(self) -> int:
        return 0

    def add(self, value: Any, accumulator: int) -> int:
        return accumulator + value[1]  # type: ignore[no-any-return]

    def get_result(self, accumulator: int) -> int:
        return accumulator

    def merge(self, acc_a: int, acc_b: int) -> int:
        return acc_a + acc_b


def process(keys: int, warm_s: float, seconds: float) -> dict[str, Any]:
    """A count in a value state, given for each record."""
    env = environment(EPOCH_RECORDS)
    stream = env.from_sequence(0, ENDLESS).map(event(keys)).key_by(key).process(Count())
    return rate(env, stream, warm_s, seconds)


def timers(keys: int, warm_s: float, seconds: float) -> dict[str, Any]:
    """A count, given when a timer of event time fires."""
    return _timed(keys, warm_s, seconds, lambda s: s.key_by(key).process(Report(_RECORDS * keys)))


def tumbling(keys: int, warm_s: float, seconds: float, fixed: int | None = None) -> dict[str, Any]:
    """A sum in tumbling windows of event time; `fixed`: all epochs have so many records."""
    windows = TumblingEventTimeWindows.of(Time.milliseconds(_RECORDS * keys))
    return _timed(keys, warm_s, seconds, lambda s: s.key_by(key).window(windows).aggregate(Sum()), fixed)


def sessions(keys: int, warm_s: float, seconds: float) -> dict[str, Any]:
    """A sum in sessions of event time; the gap is one and a half times the mean time between records."""
    windows = EventTimeSessionWindows.with_gap(Time.milliseconds(keys * 3 // 2))
    return _timed(keys, warm_s, seconds, lambda s: s.key_by(key).window(windows).aggregate(Sum()))


def _timed(
    keys: int,
    warm_s: float,
    seconds: float,
    behind: Callable[[DataStream], DataStream],
    fixed: int | None = None,
) -> dict[str, Any]:
    env = environment(fixed or EPOCH_RECORDS, fixed is not None)
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(1000))
    stream = env.from_sequence(0, ENDLESS).map(event(keys))
    stream = stream.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(EventTime()))
    return rate(env, behind(stream), warm_s, seconds)


def plain_process(keys: int, seconds: float) -> dict[str, Any]:
    """The counts in a dict."""
    return together(_counts, keys, seconds)


def plain_tumbling(keys: int, seconds: float) -> dict[str, Any]:
    """The sums of windows in a dict, taken out when their time is over."""
    return together(_windows, keys, seconds)


def _counts(number: int, keys: int, seconds: float) -> tuple[int, float]:
    counts: dict[int, int] = {}
    make = event(keys)

    def work(low: int, high: int) -> None:
        for i in range(low, high):
            k = key(make(i))
            counts[k] = counts.get(k, 0) + 1

    return chunks(number, seconds, work)


def _windows(number: int, keys: int, seconds: float) -> tuple[int, float]:
    size = _RECORDS * keys
    windows: dict[int, dict[int, int]] = {}
    make = event(keys)

    def work(low: int, high: int) -> None:
        for i in range(low, high):
            record = make(i)
            start = record[2] - record[2] % size
            window = windows.get(start)
            if window is None:
                window = windows[start] = {}
            k = key(record)
            window[k] = window.get(k, 0) + record[1]
        for start in [start for start in windows if start + size <= high]:
            for result in windows.pop(start).items():
                assert result

    return chunks(number, seconds, work)
