"""Rules of timers that tests/semantics/test_timers.py does not show. Both executors."""

from __future__ import annotations

import pytest

from datastream import CoProcessFunction, FunctionError, KeyedProcessFunction, ProcessFunction
from datastream.state import ValueStateDescriptor
from datastream.testing import case
from datastream.time import MAX_WATERMARK, TimeDomain
from datastream.types import Types
from tests.support.timelines import timeline
from tests.support.windows.events import Stamped, first


class Set(KeyedProcessFunction):
    """Sets timers of both clocks for the times in a record's third field; tells which fire."""

    def process_element(self, value, ctx):
        for time in value[2]:
            ctx.timer_service().register_event_time_timer(time)
            ctx.timer_service().register_processing_time_timer(time)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), timestamp, ctx.time_domain() is TimeDomain.EVENT_TIME


@case
def test_timers_of_two_keys_two_times_and_two_clocks_are_apart(env):
    events = [("a", 1, [5, 5, 6]), ("b", 1, [5]), ("a", 2, [6, 5]), 10]
    got = yield timeline(env, *events).key_by(first).process(Set())
    assert sorted(got) == sorted((*timer, clock) for timer in [("a", 5), ("a", 6), ("b", 5)] for clock in (False, True))


class Watch(Set):
    def process_element(self, value, ctx):
        for time in value[2]:
            ctx.timer_service().register_event_time_timer(time)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), timestamp, ctx.timer_service().current_watermark()


@case
def test_timers_of_many_keys_fire_in_order_of_their_times(env):
    events = [(n % 13, n, [(n * 7919) % 1000 + 100]) for n in range(90)]
    got = yield timeline(env, *events, 2000).key_by(first).process(Watch()).set_parallelism(1)
    times = [time for _, time, _ in got]
    assert times == sorted(times)
    assert {watermark for _, _, watermark in got} == {2000}, "the new watermark, also in timers long before it"


@case
def test_the_watermark_in_on_timer_is_the_new_one(env):
    got = yield timeline(env, ("a", 1, [5, 7, 12]), 10, 20).key_by(first).process(Watch())
    assert got == [("a", 5, 10), ("a", 7, 10), ("a", 12, 20)]


class Chained(Watch):
    """Each timer sets one at the same time or before, thrice."""

    def open(self, runtime_context):
        self.left = runtime_context.get_state(ValueStateDescriptor("left", Types.INT()))

    def on_timer(self, timestamp, ctx):
        yield from super().on_timer(timestamp, ctx)
        left = self.left.value() or 0
        if left < 3:
            self.left.update(left + 1)
            ctx.timer_service().register_event_time_timer(timestamp - left)


@case
def test_a_timer_set_in_on_timer_at_or_before_the_watermark_fires_with_it(env):
    got = yield timeline(env, ("a", 1, [5]), 10, ("a", 11, []), 20).key_by(first).process(Chained())
    assert got == [("a", 5, 10), ("a", 5, 10), ("a", 4, 10), ("a", 2, 10)]


class Forget(Watch):
    def process_element(self, value, ctx):
        super().process_element(value, ctx)
        for time in value[3]:
            ctx.timer_service().delete_event_time_timer(time)
            ctx.timer_service().delete_processing_time_timer(time)

    def on_timer(self, timestamp, ctx):
        ctx.timer_service().delete_event_time_timer(timestamp + 1)
        yield from super().on_timer(timestamp, ctx)


@case
def test_deleted_timers_do_not_fire_and_deleting_others_does_nothing(env):
    events = [("a", 1, [5, 6, 8], [77]), ("a", 1, [9], [8]), ("b", 1, [8], [9]), 20]
    got = yield timeline(env, *events).key_by(first).process(Forget())
    assert sorted(got) == [("a", 5, 20), ("a", 9, 20), ("b", 8, 20)], "6 is deleted by the timer of 5"


class Counted(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(50)
        ctx.timer_service().register_processing_time_timer(60)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.count.value(), ctx.timestamp(), timestamp, ctx.time_domain()


@case
def test_on_timer_sees_its_key_its_state_its_time_and_its_clock(env):
    got = yield timeline(env, ("a", 1), ("b", 2), ("a", 3), 70).key_by(first).process(Counted())
    clocks = [(50, TimeDomain.EVENT_TIME), (60, TimeDomain.PROCESSING_TIME)]
    expected = [(key, count, time, time, clock) for key, count in (("a", 2), ("b", 1)) for time, clock in clocks]
    assert sorted(got, key=repr) == sorted(expected, key=repr)


class Both(KeyedProcessFunction):
    def process_element(self, value, ctx):
        timers = ctx.timer_service()
        timers.register_event_time_timer(10**15)
        timers.register_processing_time_timer(timers.current_processing_time() + 10**9)

    def on_timer(self, timestamp, ctx):
        yield ctx.time_domain().name, ctx.timer_service().current_watermark()


@case
def test_at_the_end_timers_of_event_time_fire_and_those_of_the_clock_do_not(env):
    got = yield timeline(env, ("a", 1)).key_by(first).process(Both())
    assert got == [("EVENT_TIME", MAX_WATERMARK)]


@case(batch=True)
def test_at_the_end_of_a_batch_timers_of_both_clocks_fire(env):
    got = yield timeline(env, ("a", 1)).key_by(first).process(Both())
    assert got == [("EVENT_TIME", MAX_WATERMARK), ("PROCESSING_TIME", MAX_WATERMARK)]


class Stamps(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(7)
        ctx.timer_service().register_processing_time_timer(8)

    def on_timer(self, timestamp, ctx):
        yield timestamp


@case
def test_what_on_timer_gives_has_the_timers_time_if_that_is_of_event_time(env):
    got = yield timeline(env, ("a", 1), 10).key_by(first).process(Stamps()).process(Stamped())
    assert sorted(got) == [(7, 7), (8, -(2**63))]


class Unkeyed(ProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(1)


class TwoUnkeyed(CoProcessFunction):
    def process_element1(self, value, ctx):
        ctx.timer_service().register_processing_time_timer(1)

    def process_element2(self, value, ctx):
        return None


@pytest.mark.parametrize("one", [True, False])
def test_timers_without_keys_are_refused(run, one):
    numbers = run.environment().from_collection([1])
    stream = numbers.process(Unkeyed()) if one else numbers.connect(numbers.map(str)).process(TwoUnkeyed())
    with pytest.raises(FunctionError, match="timers need a keyed stream"):
        run.collect(stream)
