"""What a running job warns of, on both executors."""

from __future__ import annotations

import logging

import pytest

from datastream import Configuration, ProcessWindowFunction, RuntimeExecutionMode, Time, WatermarkStrategy
from datastream.connectors.datagen import DataGeneratorSource
from datastream.time import TimestampAssigner
from datastream.windows import TumblingEventTimeWindows, TumblingProcessingTimeWindows


class At(TimestampAssigner):
    """Record n has the time `step` * n."""

    def __init__(self, step):
        self.step = step

    def extract_timestamp(self, value, record_timestamp):
        return 1_700_000_000_000 + self.step * value


class Quiet(ProcessWindowFunction):
    """Gives nothing."""

    def process(self, key, context, elements):
        return []


def eager(run, **settings):
    """An environment with small epochs that warns at once."""
    given = Configuration()
    given.set_integer("datastream.epoch.max-records", 2_000)
    given.set_integer("datastream.warnings.after-ms", 1)
    for name, value in settings.items():
        given.set_boolean(f"datastream.warnings.{name}", value)
    env = run.environment(4)
    env.configure(given)
    return env


def numbers(env, step, count=12_000):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At(step))
    return env.from_source(DataGeneratorSource(lambda n: n, count), strategy, "numbers").uid("numbers")


def by_ten_seconds(stream):
    return stream.key_by(lambda n: n % 3).window(TumblingEventTimeWindows.of(Time.seconds(10)))


def warnings(caplog):
    return [(r.kind, r.operator) for r in caplog.records if r.name == "datastream" and hasattr(r, "kind")]


@pytest.mark.long_on_spark
def test_a_watermark_that_stands_still_is_reported_while_the_job_runs(run, caplog):
    env = eager(run)
    by_ten_seconds(numbers(env, step=0)).reduce(lambda a, b: a + b).add_sink(lambda value: None)
    env.execute()
    assert warnings(caplog) == [("watermark-stalled", "numbers-timestamps")]
    assert "has stopped at 2023-11-14 22:13:19" in caplog.text


@pytest.mark.long_on_spark
@pytest.mark.parametrize("step", [10, 1000])
def test_a_job_in_order_is_not_warned_of(run, caplog, step):
    env = eager(run)
    stream = numbers(env, step)
    by_ten_seconds(stream).reduce(lambda a, b: a + b).add_sink(lambda value: None)
    by_ten_seconds(stream).process(Quiet()).add_sink(lambda value: None)
    stream.key_by(lambda n: n % 5).reduce(lambda a, b: a + b).add_sink(lambda value: None)
    env.execute()
    assert warnings(caplog) == []


def unfinished(env):
    windows = env.from_collection([1, 2]).key_by(lambda n: n).window(TumblingProcessingTimeWindows.of(Time.hours(1)))
    windows.reduce(lambda a, b: a + b).uid("hours").add_sink(lambda value: None)
    env.execute()


def test_windows_that_the_end_of_the_input_cuts_off(run, caplog):
    unfinished(run.environment())
    assert warnings(caplog) == [("window-never-fires", "hours")]


def test_in_batch_mode_they_fire(run, caplog):
    env = run.environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    unfinished(env)
    assert warnings(caplog) == []


def test_warnings_can_be_turned_off(run, caplog):
    caplog.set_level(logging.DEBUG)
    unfinished(eager(run, enabled=False))
    assert warnings(caplog) == []
