"""Records of any size up to a limit, and what happens beyond it."""

from __future__ import annotations

import pytest

from datastream import FunctionError, WatermarkStrategy
from datastream.config import Configuration
from datastream.time import Time, TimestampAssigner
from datastream.windows import TumblingEventTimeWindows


def limited(run, limit: int):
    env = run.environment()
    config = Configuration()
    config.set_integer("datastream.record.max-bytes", limit)
    env.configure(config)
    return env


def test_a_record_larger_than_the_limit_names_operator_and_size(run):
    env = limited(run, 1000)
    stream = env.from_collection([10, 5000, 20]).map(lambda n: "x" * n).name("grow")
    with pytest.raises(FunctionError) as caught:
        run.collect(stream.rebalance().map(len))
    assert "grow" in str(caught.value)
    assert "a record takes 5,0" in str(caught.value)
    assert "datastream.record.max-bytes allows 1,000" in str(caught.value)


def test_blocks_are_cut_where_their_records_are_large(run):
    env = limited(run, 1000)
    stream = env.from_collection([n % 7 * 100 for n in range(200)]).map(lambda n: "x" * n)
    got = run.collect(stream.key_by(len).map(len), stream.broadcast().map(len), stream.rebalance().map(len))
    sizes = sorted(n % 7 * 100 for n in range(200))
    assert sorted(got[0]) == sorted(got[2]) == sizes
    assert sorted(got[1]) == sorted(sizes * 2)


class Field(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[0]


def test_watermarks_stay_between_the_records_of_cut_blocks(run):
    env = limited(run, 1000)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Field())
    stream = env.from_collection([(n * 10, "x" * 300) for n in range(100)]).assign_timestamps_and_watermarks(strategy)
    windows = stream.key_by(lambda p: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(250)))
    got = run.collect(windows.reduce(lambda a, b: (b[0], a[1][:100] + "y")))
    assert [at for at, _ in got] == [240, 490, 740, 990]
