"""Functions of two connected streams, keyed and not, over epochs cut at random."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.api.connected_streams import CoFlatMap, CoMap
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.functions import (
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedCoProcessFunction,
    OutputTag,
)
from datastream.graph.operators import CoProcess
from datastream.runtime.hosts import Setting
from datastream.runtime.hosts.co_process import CoProcessHost, KeyedCoProcessHost
from datastream.state import ListStateDescriptor, ValueStateDescriptor
from datastream.time import TimeDomain
from tests.support.keyed_harness import ANY
from tests.support.two_inputs import Driver, cut_at

TAG = OutputTag("odd")


class Sides(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield "first", value, ctx.timestamp()

    def process_element2(self, value, ctx):
        if value % 2:
            yield TAG, value
        yield "second", value, ctx.timer_service().current_watermark()


class Totals(KeyedCoProcessFunction):
    """The first stream adds, the second asks, and sets a timer that gives and clears."""

    def open(self, runtime_context):
        self.total = runtime_context.get_state(ValueStateDescriptor("total", ANY))
        self.seen = runtime_context.get_list_state(ListStateDescriptor("seen", ANY))

    def process_element1(self, value, ctx):
        self.total.update((self.total.value() or 0) + value)
        self.seen.add([value])

    def process_element2(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value)
        yield ctx.get_current_key(), self.total.value()

    def on_timer(self, timestamp, ctx):
        yield "timer", ctx.get_current_key(), self.total.value(), timestamp, ctx.time_domain()
        yield from self.seen.get()
        self.total.clear()
        self.seen.clear()


def model(steps):
    """What `Totals` gives, and at which times; those of one watermark as a set, by their timers' times."""
    totals, seen, timers, out, watermark = {}, {}, set(), [], -(1 << 63)
    for step in steps:
        if step[0] == "watermark":
            if step[1] <= watermark:
                continue
            watermark = step[1]
            due = sorted(t for t in timers if t[0] <= watermark)
            timers -= set(due)
            for time, key in due:
                out.append((("timer", key, totals.pop(key, None), time, TimeDomain.EVENT_TIME), time))
                out += [([value], time) for value in seen.pop(key, ())]
        else:
            side, value, key, time = step
            if side == 0:
                totals[key] = totals.get(key, 0) + value
                seen.setdefault(key, []).append(value)
            else:
                timers.add((value, key))
                out.append(((key, totals.get(key)), time))
    return out


records = st.tuples(st.integers(0, 1), st.integers(0, 30), st.integers(0, 3), st.integers(0, 30) | st.none())
watermarks = st.tuples(st.just("watermark"), st.integers(0, 40))


@given(st.lists(records | watermarks, max_size=40), st.sets(st.integers(0, 40)))
def test_both_streams_share_the_state_and_timers_of_a_key(steps, cuts):
    got = Driver(KeyedCoProcessHost, Totals()).run(cut_at(steps, cuts))
    assert sorted(map(repr, got)) == sorted(map(repr, model(steps)))


def test_timers_are_kept_over_epochs_and_fire_in_order_of_their_times():
    driver = Driver(KeyedCoProcessHost, Totals())
    driver.run([(1, 9, "a", 1), (1, 5, "b", 1), "cut", (0, 3, "a", 2), "cut", ("watermark", 20)])
    fired = [(record, time) for record, time in driver.out if record[0] == "timer"]
    assert [(record[1], record[2], time) for record, time in fired] == [("b", None, 5), ("a", 3, 9)]


def test_what_a_timer_gives_has_its_time_if_that_is_of_event_time():
    class Timers(KeyedCoProcessFunction):
        def process_element1(self, value, ctx):
            ctx.timer_service().register_event_time_timer(value)

        def process_element2(self, value, ctx):
            ctx.timer_service().register_processing_time_timer(value)

        def on_timer(self, timestamp, ctx):
            assert ctx.timestamp() == timestamp
            yield ctx.time_domain().name

    driver = Driver(KeyedCoProcessHost, Timers())
    driver.run([(0, 7, "a", 1), (1, 7, "a", 1), "cut"])
    assert driver.next_timer == 7
    driver.run([("clock", 8), ("watermark", 8)])
    assert driver.out == [("PROCESSING_TIME", None), ("EVENT_TIME", 7)]


@pytest.mark.parametrize("host", [CoProcessHost, KeyedCoProcessHost])
def test_results_and_side_outputs_keep_the_records_timestamp(host):
    driver = Driver(host, Sides())
    driver.run([(0, 1, "k", 10), ("watermark", 5), (1, 3, "k", 20), (1, 4, "k", None), (0, 5, "k", None)])
    assert driver.out == [
        (("first", 1, 10), 10),
        (("second", 3, 5), 20),
        (("second", 4, 5), None),
        (("first", 5, -(2**63)), None),
    ]
    assert driver.sides == {"odd": [(3, 20)]}


@pytest.mark.parametrize("host", [CoProcessHost, KeyedCoProcessHost])
def test_without_anybody_who_asks_for_times_there_are_none(host):
    op = CoProcess(0, "op", Sides(), instance=Sides())
    made = host(op, Setting(4, timed=False))
    made.begin(Driver(host, Sides()).store, range(4), 0)
    assert made.process(0, [1], ["k"], [3]) == ([("first", 1, 3)], None)
    assert made.process(0, [1], ["k"], None) == ([("first", 1, -(2**63))], None)


def test_a_function_that_is_no_generator_may_return_a_list_or_none():
    class Plain(CoProcessFunction):
        def process_element1(self, value, ctx):
            return [value] * value

        def process_element2(self, value, ctx):
            return None

    driver = Driver(CoProcessHost, Plain())
    driver.records(0, [(2, None, 1), (0, None, 2), (1, None, 3)])
    driver.records(1, [(2, None, 1)])
    assert driver.out == [(2, 1), (2, 1), (1, 3)]


def test_timers_without_keys_are_refused():
    class Timers(CoProcessFunction):
        def process_element1(self, value, ctx):
            ctx.timer_service().register_event_time_timer(1)

        def process_element2(self, value, ctx):
            yield ctx.timer_service().current_processing_time()

    driver = Driver(CoProcessHost, Timers())
    driver.run([("clock", 77), (1, 0, None, None)])
    assert driver.out == [(77, None)]
    with pytest.raises(UnsupportedOperation, match="timers need a keyed stream: call key_by first"):
        driver.run([(0, 1, None, 1)])
    assert driver.host.what.endswith("Timers.process_element1")


def test_what_is_given_is_no_part_of_what_is_kept():
    class Keeps(KeyedCoProcessFunction):
        def open(self, runtime_context):
            self.state = runtime_context.get_state(ValueStateDescriptor("state", ANY))

        def process_element1(self, value, ctx):
            self.state.update([value])
            yield self.state.value()

        def process_element2(self, value, ctx):
            yield self.state.value()

    driver = Driver(KeyedCoProcessHost, Keeps())
    driver.run([(0, 1, "a", 1)])
    driver.out[0][0].append("changed downstream")
    driver.run([(1, 1, "a", 1)])
    assert driver.out[1][0] == [1]


class Both(CoMapFunction, CoFlatMapFunction):
    def __init__(self):
        self.calls = []

    def open(self, runtime_context):
        self.factor = 10

    def map1(self, value):
        return value * self.factor

    def map2(self, value):
        return None if value < 0 else 1 // value

    def flat_map1(self, value):
        return [value] * value

    def flat_map2(self, value):
        if value:
            yield value // (value - 3)


@pytest.mark.parametrize("host", [CoProcessHost, KeyedCoProcessHost])
def test_co_map_drops_none(host):
    function = Both()
    driver = Driver(host, CoMap(function), instance=function)
    driver.run([(0, 1, "a", 5), (1, -1, "a", 6), (1, 1, "a", 7)])
    assert driver.out == [(10, 5), (1, 7)]
    with pytest.raises(ZeroDivisionError):
        driver.records(1, [(1, "a", 8), (0, "a", 9)])
    assert (driver.host.record, driver.host.what) == (0, "Both.map2")


@pytest.mark.parametrize("host", [CoProcessHost, KeyedCoProcessHost])
def test_co_flat_map_gives_any_number(host):
    function = Both()
    driver = Driver(host, CoFlatMap(function), instance=function)
    driver.run([(0, 2, "a", 5), (1, 0, "a", 6), (1, 4, "a", 7)])
    assert driver.out == [(2, 5), (2, 5), (4, 7)]
    with pytest.raises(ZeroDivisionError):
        driver.records(1, [(0, "a", 8), (3, "a", None)])
    assert (driver.host.record, driver.host.what) == (3, "Both.flat_map2")


def test_a_timer_that_raises_is_named_with_its_key():
    class Fails(KeyedCoProcessFunction):
        def process_element1(self, value, ctx):
            ctx.timer_service().register_event_time_timer(value)

        def process_element2(self, value, ctx):
            raise KeyError(value)

        def on_timer(self, timestamp, ctx):
            raise RuntimeError

    driver = Driver(KeyedCoProcessHost, Fails())
    with pytest.raises(RuntimeError):
        driver.run([(0, 1, "k", 1), "cut", ("watermark", 1)])
    assert repr(driver.host.record) == "timer of key 'k' at 1"
    assert driver.host.what.endswith("Fails.on_timer")
    driver = Driver(KeyedCoProcessHost, Fails())
    with pytest.raises(KeyError):
        driver.records(1, [("x", "k", 1)])
    assert driver.host.record == "x"
    assert driver.host.what.endswith("Fails.process_element2")


def test_a_co_process_function_without_on_timer_may_run_on_keyed_streams():
    driver = Driver(KeyedCoProcessHost, Sides())
    assert driver.run([(0, 1, "k", 1)], end=True) == [(("first", 1, 1), 1)]


def test_state_between_records_is_refused():
    driver = Driver(KeyedCoProcessHost, Totals())
    with pytest.raises(ValidationError, match="belong to the key of a record"):
        driver.function.total.value()


@pytest.mark.parametrize("host", [CoProcessHost, KeyedCoProcessHost])
def test_a_function_may_have_whatever_names_it_likes(host):
    class Named(CoProcessFunction):
        method_names = result_times = late_dropped = "mine"

        def attach(self):
            raise AssertionError

        def process_element1(self, value, ctx):
            raise KeyError(value)

        def process_element2(self, value, ctx):
            yield self.method_names, self.result_times, self.late_dropped

    driver = Driver(host, Named())
    assert driver.run([(1, 1, "k", 1), "cut"]) == [(("mine", "mine", "mine"), 1)]
    with pytest.raises(KeyError):
        driver.run([(0, 1, "k", 1)])
    assert driver.host.what.endswith("Named.process_element1")
