"""Where jobs differ from Flink's, as docs/differences.md tells: what happens here. Both executors."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from datastream import (
    KeyedProcessFunction,
    MapStateDescriptor,
    TimestampAssigner,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from datastream.connectors.files import FileSource, StreamFormat
from datastream.errors import JobError
from datastream.testing import case


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
