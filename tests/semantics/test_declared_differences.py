"""Where jobs differ from Flink's, as docs/differences.md tells: what happens here. Both executors."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from datastream import (
    KeyedProcessFunction,
    MapStateDescriptor,
    RestartStrategies,
    StreamExecutionEnvironment,
    TimestampAssigner,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from datastream.config.settings import settings
from datastream.connectors.files import FileSource, StreamFormat
from datastream.errors import JobError
from datastream.testing import case
from tests.support.savepoints import Part


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Joined(KeyedProcessFunction):
    """record -> all texts of its key so far, joined"""

    def open(self, runtime_context):
        self.texts = runtime_context.get_state(ValueStateDescriptor("texts", Types.STRING()))

    def process_element(self, value, ctx):
        self.texts.update((self.texts.value() or "") + value[2])
        yield self.texts.value()


@case(batch=True)
def test_records_of_batch_mode_come_in_the_order_of_the_input(env):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    records = env.from_collection([("b", 5, "x"), ("b", 3, "y"), ("b", 1, "z")])
    got = yield records.assign_timestamps_and_watermarks(strategy).key_by(lambda r: r[0]).process(Joined())
    assert got == ["x", "xy", "xyz"]


@case
def test_none_of_a_flat_map_is_no_result(env):
    got = yield env.from_collection([1, 2]).flat_map(lambda x: None)
    assert got == []


@case
def test_forward_with_another_parallelism_is_rebalance(env):
    got = yield env.from_collection(range(10)).set_parallelism(1).forward().map(str).set_parallelism(2)
    assert sorted(got) == sorted(map(str, range(10)))


@case
def test_bytes_and_decimals_are_collected_as_they_are(env):
    numbers = env.from_collection([Decimal("1E+3")], type_info=Types.BIG_DEC())
    data = env.from_collection([b"ab\xff"], type_info=Types.PRIMITIVE_ARRAY(Types.BYTE()))
    got = yield numbers, data
    assert [str(number) for number in got[0]] == ["1E+3"]
    assert got[1] == [b"ab\xff"]


class Keys(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield ctx.get_current_key()


@case
def test_keys_stay_what_their_selector_gave(env):
    got = yield env.from_collection([1]).key_by(lambda _: 0.1, key_type=Types.FLOAT()).process(Keys())
    assert got == [0.1]


class Holds(KeyedProcessFunction):
    def open(self, runtime_context):
        self.values = runtime_context.get_map_state(MapStateDescriptor("values", Types.STRING(), Types.STRING()))

    def process_element(self, value, ctx):
        self.values.put("x", None)
        yield self.values.contains("x"), list(self.values.keys())


@case
def test_a_map_holds_a_key_without_a_value(env):
    got = yield env.from_collection([1]).key_by(lambda _: 0).process(Holds())
    assert got == [(True, ["x"])]


def test_lines_of_text_files(run: Any, tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"a\r\nb\rc\n")
    (tmp_path / "bad").write_bytes(b"\xff\xfe\n")

    def lines(name: str) -> Any:
        source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path / name)).build()
        return run.collect(run.environment().from_source(source, WatermarkStrategy.no_watermarks(), "lines"))

    assert lines("good") == ["a", "b\rc"]
    with pytest.raises(JobError, match="utf-8"):
        lines("bad")


class Kept(KeyedProcessFunction):
    """Keeps how many records a key had, in a state of some type, and gives the state."""

    def __init__(self, kind: Any, one: Any) -> None:
        self.kind, self.one = kind, one

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", self.kind))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + self.one)
        yield self.count.value()


@pytest.mark.parametrize("key_groups", ["128", "9"])
def test_a_savepoint_goes_to_other_key_groups_and_types(key_groups: str, tmp_path: Path) -> None:
    def counting(kind: Any, one: Any) -> Any:
        return lambda env, numbers: numbers.key_by(lambda n: n % 10).process(Kept(kind, one)).uid("kept")

    Part(counting(Types.LONG(), 1), epochs=1).handle.savepoint(tmp_path / "savepoint")
    more = {"pipeline.max-parallelism": key_groups}
    found = Part(counting(Types.DOUBLE(), 1.0), savepoint=tmp_path / "savepoint", more=more).results
    assert (min(found), max(found), type(found[0])) == (51.0, 200.0, float)


class Tries:
    """Fails in the first run of a job; the number of runs is noted in a folder."""

    def __init__(self, folder: Path, error: type[Exception]) -> None:
        self.folder, self.error = folder, error

    def __call__(self, value):
        known = len(list(self.folder.iterdir()))
        (self.folder / str(known)).touch()
        if not known:
            raise self.error("once")
        return value


@pytest.mark.long_on_spark
@pytest.mark.parametrize("executor", ["local", "spark"])
@pytest.mark.parametrize(
    ("error", "chosen", "runs"), [(ValueError, False, 1), (ConnectionError, False, 2), (ValueError, True, 2)]
)
def test_by_default_only_what_can_pass_restarts_a_job(tmp_path, monkeypatch, executor, error, chosen, runs):
    monkeypatch.setattr(settings(), "executor", executor)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(10)
    if chosen:
        env.set_restart_strategy(RestartStrategies.exponential_delay_restart(10))
    env.from_collection([1]).map(Tries(tmp_path, error)).print()
    if runs == 1:
        with pytest.raises(JobError, match="ValueError: once"):
            env.execute()
    else:
        env.execute()
    assert len(list(tmp_path.iterdir())) == runs
