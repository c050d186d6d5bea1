"""Where watermarks come from, and when a split is idle."""

from __future__ import annotations

import pickle

import pytest

from datastream.errors import ValidationError
from datastream.time import (
    MIN_WATERMARK,
    BoundedOutOfOrdernessWatermarks,
    Duration,
    IdlenessTimer,
    InputWatermark,
    MonotonousTimestampsWatermarks,
    NoWatermarks,
    WatermarkGenerator,
    WatermarkStrategy,
    WatermarksWithIdleness,
)


class Now:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.time = 1_000

    def __call__(self) -> int:
        return self.time


class EveryMarker(WatermarkGenerator):
    """A watermark at each record that is a marker."""

    def on_event(self, event, event_timestamp, output):
        if event == "marker":
            output.emit_watermark(event_timestamp)

    def on_periodic_emit(self, output):
        pass


def after(generator: WatermarkGenerator, *timestamps: int) -> int:
    out = InputWatermark()
    for timestamp in timestamps:
        generator.on_event(None, timestamp, out)
    generator.on_periodic_emit(out)
    return out.watermark


# One split


def test_before_any_record_there_is_no_watermark():
    assert after(MonotonousTimestampsWatermarks()) == MIN_WATERMARK
    assert after(BoundedOutOfOrdernessWatermarks(Duration.of_days(10**6))) == MIN_WATERMARK


def test_monotonous_is_the_highest_timestamp_less_one():
    assert after(MonotonousTimestampsWatermarks(), 5, 7) == 6
    assert after(MonotonousTimestampsWatermarks(), 7, 5) == 6
    assert after(MonotonousTimestampsWatermarks(), -7) == -8


def test_bounded_is_the_highest_timestamp_less_the_bound_less_one():
    assert after(BoundedOutOfOrdernessWatermarks(Duration.of_seconds(5)), 9_000, 12_000, 8_000) == 6_999
    assert after(BoundedOutOfOrdernessWatermarks(Duration.of_nanos(1_999_999)), 10) == 8


def test_none():
    assert after(NoWatermarks(), 5, 7) == MIN_WATERMARK


def test_periodic_generators_emit_nothing_at_a_record():
    out = InputWatermark()
    MonotonousTimestampsWatermarks().on_event(None, 5, out)
    assert out.watermark == MIN_WATERMARK


def test_a_generator_of_ones_own_may_emit_at_a_record():
    generator = WatermarkStrategy.for_generator(EveryMarker).create_watermark_generator(Now())
    out = InputWatermark()
    generator.on_event("record", 4, out)
    assert out.watermark == MIN_WATERMARK
    generator.on_event("marker", 5, out)
    assert out.watermark == 5


@pytest.mark.parametrize(
    ("strategy", "kind"),
    [
        (WatermarkStrategy.no_watermarks(), NoWatermarks),
        (WatermarkStrategy.for_monotonous_timestamps(), BoundedOutOfOrdernessWatermarks),
        (WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(3)), BoundedOutOfOrdernessWatermarks),
        (WatermarkStrategy.for_monotonous_timestamps().with_idleness(Duration.of_seconds(3)), WatermarksWithIdleness),
        (WatermarkStrategy.for_generator(EveryMarker), EveryMarker),
    ],
)
def test_strategies_make_a_generator_for_each_split(strategy, kind):
    one, other = strategy.create_watermark_generator(Now()), strategy.create_watermark_generator(Now())
    assert type(one) is kind
    assert one is not other
    assert pickle.loads(pickle.dumps(strategy)) == strategy


def test_a_supplier_that_supplies_something_else_is_refused():
    with pytest.raises(ValidationError, match="generator_supplier must return a WatermarkGenerator when called: got 5"):
        WatermarkStrategy.for_generator(5)
    with pytest.raises(ValidationError, match=r"must return a WatermarkGenerator: got \[\]"):
        WatermarkStrategy.for_generator(list).create_watermark_generator(Now())


def test_generators_can_be_pickled_between_records():
    generator = BoundedOutOfOrdernessWatermarks(Duration.of_millis(3))
    after(generator, 10)
    assert after(pickle.loads(pickle.dumps(generator)), 2) == 6


# Idleness


def test_a_split_is_idle_when_the_timeout_is_exceeded_from_the_first_quiet_look():
    now, out = Now(), InputWatermark()
    generator = WatermarksWithIdleness(MonotonousTimestampsWatermarks(), Duration.of_millis(100), now)
    generator.on_event(None, 5, out)
    generator.on_periodic_emit(out)
    now.time += 10_000
    generator.on_periodic_emit(out)  # the first look that finds nothing
    now.time += 100
    generator.on_periodic_emit(out)
    assert not out.idle
    now.time += 1
    generator.on_periodic_emit(out)
    assert out.idle
    assert out.watermark == 4


def test_a_record_makes_an_idle_split_active_at_its_next_watermark():
    now, out = Now(), InputWatermark()
    generator = WatermarksWithIdleness(MonotonousTimestampsWatermarks(), Duration.of_millis(100), now)
    for _ in range(2):
        generator.on_periodic_emit(out)
        now.time += 101
    generator.on_periodic_emit(out)
    assert out.idle
    generator.on_event(None, 8, out)
    generator.on_periodic_emit(out)
    assert (out.idle, out.watermark) == (False, 7)


def test_a_split_that_never_had_a_record_becomes_idle():
    timer = IdlenessTimer(Duration.of_millis(100))
    assert [timer.is_idle(t) for t in (0, 100, 101, 102)] == [False, False, True, True]
    timer.activity()
    assert [timer.is_idle(t) for t in (103, 104, 204, 205)] == [False, False, False, True]


def test_a_timeout_that_is_not_above_zero_is_refused():
    with pytest.raises(ValidationError, match="idle_timeout must be a Duration above zero"):
        WatermarksWithIdleness(NoWatermarks(), Duration(0), Now())
