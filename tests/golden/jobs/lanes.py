"""A source with lanes, some of which are silent for long."""

from __future__ import annotations

from typing import NamedTuple

from datastream.io import Batch, Produced, Source, SourceReader, SplitEnumerator
from datastream.time import Time, WatermarkStrategy
from datastream.windows import TumblingEventTimeWindows

from .halted import Until
from .windows import Everyone

EPOCHS = 12
MS = 1000


class Split(NamedTuple):
    """What a lane has in an epoch."""

    lane: str
    epoch: int


class Lanes(Source, SplitEnumerator, SourceReader):
    """Numbers in lanes: one a second in each epoch and lane that has data. The offset is the number of epochs."""

    @property
    def produced(self):
        return Produced(timestamps=True, lanes=True)

    def create_enumerator(self, context):
        return self

    def create_reader(self, context):
        return self

    def initial_offset(self):
        return 0

    def latest_offset(self, start, budget):
        return min(start + 1, EPOCHS)

    def splits(self, start, end, parallelism):
        return [Split(lane, epoch) for epoch in range(start, end) for lane in names(epoch) if busy(lane, epoch)]

    def read(self, split):
        numbers = records(*split)
        yield Batch(numbers, [number * MS for number in numbers])

    def lanes(self, offset):
        return sorted({lane for epoch in range(offset) for lane in names(epoch)})

    def finished(self, offset):
        return offset == EPOCHS


def names(epoch):
    """The lanes that there are."""
    return ["a", "b", "c"] if epoch > 1 else ["a", "b"]


def busy(lane, epoch):
    """Whether a lane has data: ``c`` has none for some epochs around the middle."""
    return lane != "c" or not 3 < epoch < 9


def records(lane, epoch):
    """The numbers of a lane in an epoch, in order."""
    return [epoch * 10 + n for n in range(10)]


class Event:
    """(number, key, 1)."""

    def __call__(self, number):
        return number, 0, 1


def build(env, limit=None):
    """The stream of all results.

    Args:
        env: The environment.
        limit: The number at which the job fails; it should be between 60 and 80.
    """
    env.set_parallelism(2)
    source = env.from_source(Lanes(), WatermarkStrategy.for_monotonous_timestamps(), "lanes").uid("lanes")
    events = source.map(Until(limit)).map(Event())
    return events.window_all(TumblingEventTimeWindows.of(Time.seconds(7))).apply(Everyone()).uid("all")
