"""Windows of jobs beside the windows of the reference: the same records and watermarks for both."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from datastream import OutputTag, ProcessFunction
from datastream.functions import AggregateFunction, ProcessWindowFunction, WindowFunction
from datastream.time import MAX_WATERMARK
from datastream.types import Types
from tests.support.timelines import timeline
from tests.support.windows.reference import Record, Watermark, run

LATE = OutputTag("late", Types.PICKLED_BYTE_ARRAY())


@dataclass(frozen=True)
class Seen:
    """What came out of a job.

    Attributes:
        results: (key, window, values) in order, for each key.
        times: Their timestamps.
        late: Late records.
        late_times: Their timestamps.
    """

    results: list[tuple[Any, Any, tuple[Any, ...]]]
    times: list[int | None]
    late: list[Any]
    late_times: list[int | None]

    def values(self):
        return [values for _, _, values in self.results]

    def spans(self):
        return [(window.start, window.end, values) for _, window, values in self.results]


def at(*timestamps, key="k"):
    """Records at these timestamps; each one's value is its timestamp."""
    return [(key, t, t) for t in timestamps]


def first(event):
    return event[0]


class Show(WindowFunction):
    def apply(self, key, window, inputs):
        yield key, window, tuple(value[2] for value in inputs)


class Told(ProcessWindowFunction):
    """(watermark at the firing, values)."""

    def process(self, key, context, elements):
        yield context.current_watermark(), [value[2] for value in elements]


class Total(AggregateFunction):
    """The sum of the values."""

    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value[2]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Stamped(ProcessFunction):
    """Each record with its timestamp."""

    def process_element(self, value, ctx):
        yield value, ctx.timestamp()


def windowed(env, assigner, *events, trigger=None, evictor=None, lateness=0):
    """Run events through windows, in a job and in the reference: ``seen = yield from windowed(...)`` in a case.

    Asserts that both gave the same results, the same late records, and the same timestamps. Events are those of
    `timeline`: (key, timestamp, value), and watermarks as ints.
    """
    windows = timeline(env, *events).key_by(first).window(assigner).side_output_late_data(LATE)
    if trigger is not None:
        windows = windows.trigger(trigger)
    if evictor is not None:
        windows = windows.evictor(evictor)
    main = windows.allowed_lateness(lateness).apply(Show())
    results, late = yield main.process(Stamped()), main.get_side_output(LATE).process(Stamped())

    told = [Watermark(event) if isinstance(event, int) else Record(event[0], event, event[1]) for event in events]
    expected = run([*told, Watermark(MAX_WATERMARK)], assigner, trigger, evictor, lateness, show)
    assert by_window(results) == by_window([(r.value, r.timestamp) for r in expected.results])
    assert Counter(late) == Counter((record.value, record.timestamp) for record in expected.late)
    return Seen(*map(list, [*halves(results), *halves(late)]))


def show(key, window, values):
    return [(key, window, tuple(value[2] for value in values))]


def by_window(results):
    """The results of each window of a key, in order."""
    found: dict[Any, list[Any]] = {}
    for result in results:
        found.setdefault(result[0][:2], []).append(result)
    return found


def halves(pairs):
    return [first for first, _ in pairs], [second for _, second in pairs]
