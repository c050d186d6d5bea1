"""Lanes: parts of a source, such as the partitions of a topic, that have watermarks of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from datastream import KeyedProcessFunction
from datastream.connectors.collect_sink import CollectSink
from datastream.io import Batch, Consumed, Produced, SinkWriter
from datastream.testing import case
from datastream.time import Duration, Time, WatermarkStrategy
from datastream.windows import TumblingEventTimeWindows
from tests.support.toy_source import ToySource


class Split(NamedTuple):
    lane: str
    records: list[tuple[str, int]]


@dataclass
class Laned(ToySource):
    """Epochs as they are written down: what each lane has in it; a lane exists from the epoch that first names it.

    Attributes:
        epochs: Lane -> pairs (value, timestamp).
    """

    epochs: list[dict[str, list[tuple[str, int]]]] = field(default_factory=list)
    timestamps: bool = True

    @property
    def produced(self):
        return Produced(timestamps=self.timestamps, lanes=True)

    def create_reader(self, context):
        self.wanted = context.timestamps
        return self

    def latest_offset(self, start, budget):
        return min(start + 1, len(self.epochs))

    def splits(self, start, end, parallelism):
        return sorted(Split(lane, rs) for epoch in self.epochs[start:end] for lane, rs in epoch.items() if rs)

    def read(self, split):
        times = [time for _, time in split.records]
        yield Batch([value for value, _ in split.records], times if self.wanted else None)

    def lanes(self, offset):
        return sorted({lane for epoch in self.epochs[:offset] for lane in epoch})

    def finished(self, offset):
        return offset == len(self.epochs)


MONOTONOUS = WatermarkStrategy.for_monotonous_timestamps()


class Heard(KeyedProcessFunction):
    """Each record with the watermark that it met."""

    def process_element(self, value, ctx):
        yield value, ctx.timestamp(), max(ctx.timer_service().current_watermark(), -1)


def heard(env, *epochs, strategy=MONOTONOUS):
    return env.from_source(Laned(list(epochs)), strategy, "laned").key_by(lambda value: 0).process(Heard())


@pytest.mark.long_on_spark
@case(alone=True)
def test_a_lane_without_data_holds_back_the_others(env):
    got = yield heard(
        env,
        {"a": [("a1", 10)], "b": [("b1", 5)]},
        {"a": [("a2", 20)], "b": []},
        {"a": [("a3", 30)], "b": []},
        {"a": [], "b": [("b2", 25)]},
        {"a": [], "b": []},
        {"a": [("a4", 40)]},
    )
    assert {value: watermark for value, _, watermark in got} == {
        "a1": -1,
        "b1": -1,
        "a2": 4,
        "a3": 4,
        "b2": 4,
        "a4": 24,
    }


@pytest.mark.long_on_spark
@case(alone=True)
def test_lanes_that_take_turns_move_time_on(env):
    epochs = [{"a": [], "b": [], "c": []}]
    epochs += [{"abc"[n % 3]: [(f"r{n}", 10 * n)]} for n in range(9)]
    got = yield heard(env, *epochs)
    assert sorted((value, watermark) for value, _, watermark in got) == [
        ("r0", -1),
        ("r1", -1),
        ("r2", -1),
        *((f"r{n}", 10 * (n - 3) - 1) for n in range(3, 9)),
    ]


@case(alone=True, parallelism=1)
def test_lanes_of_one_task_make_no_late_records_of_each_other(env):
    stream = env.from_source(
        Laned(
            [{lane: [(lane, t) for t in range(start, 1000, 10)] for lane, start in zip("abcd", range(4), strict=True)}]
        ),
        MONOTONOUS,
        "laned",
    )
    windows = (
        stream.map(lambda lane: (lane, 1))
        .key_by(lambda pair: 0)
        .window(TumblingEventTimeWindows.of(Time.milliseconds(100)))
    )
    got = yield windows.reduce(lambda one, other: (one[0], one[1] + other[1])).map(lambda pair: pair[1])
    assert got == [40] * 10


@pytest.mark.long_on_spark
@case(alone=True)
def test_a_lane_that_appears_holds_back_from_then_on(env):
    got = yield heard(
        env,
        {"a": [("a1", 10)]},
        {"a": [("a2", 20)], "new": []},
        {"a": [("a3", 30)], "new": []},
        {"new": [("n1", 5)]},
        {"new": [("n2", 25)]},
        {"a": [("a4", 40)]},
    )
    assert {value: watermark for value, _, watermark in got} == {
        "a1": -1,
        "a2": 9,
        "a3": 9,
        "n1": 9,
        "n2": 9,
        "a4": 24,
    }


@case(alone=True)
def test_a_lane_that_has_gone_is_waited_for_no_longer(env):
    source = Going([{"a": [("a1", 10)], "b": [("b1", 5)]}, {"a": [("a2", 20)]}, {"a": [("a3", 30)]}])
    got = yield env.from_source(source, MONOTONOUS, "laned").key_by(lambda value: 0).process(Heard())
    assert {value: watermark for value, _, watermark in got} == {"a1": -1, "b1": -1, "a2": 9, "a3": 19}


class Going(Laned):
    """Its lanes are those of the last epoch."""

    def lanes(self, offset):
        return sorted(self.epochs[max(offset - 1, 0)])


@case(alone=True)
def test_lanes_are_told_apart_behind_a_map_too(env):
    source = Laned([{"a": [("a1", 10)], "b": [("b1", 5)]}, {"a": [("a2", 20)]}, {"a": [], "b": [("b2", 7)]}])
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "laned").map(str.upper)
    got = yield stream.assign_timestamps_and_watermarks(MONOTONOUS).key_by(lambda value: 0).process(Heard())
    assert sorted(got) == [("A1", 10, -1), ("A2", 20, 4), ("B1", 5, -1), ("B2", 7, 4)]


@pytest.mark.long_on_spark
@case(alone=True)
def test_an_idle_lane_is_not_waited_for(env):
    strategy = MONOTONOUS.with_idleness(Duration.of_millis(1))
    epochs = [{"a": [(f"a{n}", 10 * n)], "b": []} for n in range(12)]
    got = yield heard(env, *epochs, strategy=strategy)
    assert max(watermark for _, _, watermark in got) > 0


@pytest.mark.parametrize("wanted", [True, False])
def test_a_source_reads_timestamps_only_where_somebody_asks(run, wanted):
    stream = run.environment().from_source(Laned([{"a": [("x", 7)]}]), WatermarkStrategy.no_watermarks(), "laned")
    if wanted:
        assert run.collect(stream.key_by(lambda value: 0).process(Heard())) == [("x", 7, -1)]
    else:
        assert run.collect(stream.map(str.upper)) == ["X"]


class Timed(CollectSink):
    """Keeps records with their timestamps."""

    @property
    def consumed(self):
        return Consumed(timestamps=True)

    def create_writer(self, context):
        return TimedWriter(super().create_writer(context))


class TimedWriter(SinkWriter):
    def __init__(self, inner):
        self._inner = inner

    def begin(self, epoch, attempt):
        self._inner.begin(epoch, attempt)

    def write(self, batch):
        records, times = batch
        self._inner.write(Batch(list(zip(records, times or [None] * len(records), strict=True))))

    def prepare_commit(self):
        return self._inner.prepare_commit()


@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("timed", [True, False])
def test_a_sink_may_ask_for_timestamps(run, exchanged, timed):
    env = run.environment()
    source = Laned([{"a": [("x", 7), ("y", 9)]}])
    source.timestamps = timed
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "laned").map(str.upper)
    sink = Timed()
    (stream.rebalance() if exchanged else stream).sink_to(sink)
    env.execute("timed sink")
    sink.close()
    assert sorted(sink) == ([("X", 7), ("Y", 9)] if timed else [("X", None), ("Y", None)])
