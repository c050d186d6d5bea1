"""Interval joins, over epochs cut at random."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import StreamExecutionEnvironment
from datastream.api.joins.interval import IntervalJoin
from datastream.api.joins.interval_buffers import IntervalBuffers
from datastream.api.keyed_stream import without_keys
from datastream.api.step import node_of
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.functions import OutputTag
from datastream.functions.process_join_function import ProcessJoinFunction
from datastream.graph.operators import KeyedCoProcess
from datastream.runtime.hosts.co_process import KeyedCoProcessHost
from datastream.time import MIN_WATERMARK, Duration, Time
from datastream.types import Types
from tests.support.two_inputs import Driver, cut_at

LEFT, RIGHT, PAIR = OutputTag("left"), OutputTag("right"), OutputTag("pair")


class Pairs(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left, right, ctx.get_left_timestamp(), ctx.get_right_timestamp(), ctx.get_timestamp()


def drive(lower, upper, function=None, *late):
    function = function or Pairs()
    return Driver(KeyedCoProcessHost, IntervalBuffers(function, lower, upper, *late), instance=function)


def model(steps, lower, upper):
    """Every pair of which neither was late, and the late ones."""
    seen, out, late, watermark = [], [], ([], []), MIN_WATERMARK
    for step in steps:
        if step[0] == "watermark":
            watermark = max(watermark, step[1])
            continue
        side, record, key, time = step
        if time < watermark:
            late[side].append((record, time))
            continue
        for other_side, other, other_key, other_time in seen:
            if other_side != side and other_key == key:
                left, lt, right, rt = (
                    (record, time, other, other_time) if side == 0 else (other, other_time, record, time)
                )
                if lt + lower <= rt <= lt + upper:
                    out.append(((left, right, lt, rt, max(lt, rt)), max(lt, rt)))
        seen.append((side, record, key, time))
    return out, late


times = st.integers(-20, 60)
records = st.tuples(st.integers(0, 1), st.integers(0, 99), st.integers(0, 1), times)
bounds = st.tuples(st.integers(-40, 40), st.integers(0, 40)).map(lambda b: (b[0], b[0] + b[1]))


@given(bounds, st.lists(records | st.tuples(st.just("watermark"), times), max_size=50), st.sets(st.integers(0, 50)))
def test_all_pairs_within_the_bounds_that_are_not_late(bounds, steps, cuts):
    driver = drive(*bounds, Pairs(), LEFT, RIGHT)
    got = driver.run(cut_at(steps, cuts), end=True)
    pairs, late = model(steps, *bounds)
    assert sorted(got) == sorted(pairs)
    assert (driver.sides.get("left", []), driver.sides.get("right", [])) == late
    assert all(key[8:] == b"\xff\xff\xff\xff\0\0\0\0" for key in driver.store.entries), "but the timers' summary"


@given(bounds, st.lists(records | st.tuples(st.just("watermark"), times), max_size=50))
def test_late_records_are_dropped_and_counted(bounds, steps):
    driver = drive(*bounds)
    driver.run([*steps, "cut"])
    assert driver.late_dropped == sum(map(len, model(steps, *bounds)[1]))
    assert driver.sides == {}


def test_both_bounds_are_in():
    driver = drive(-2, 1)
    driver.run([(0, "l", "k", 10), *[(1, t, "k", t) for t in range(7, 13)]])
    assert [record[1] for record, _ in driver.out] == [8, 9, 10, 11]


def test_results_have_the_later_timestamp():
    driver = drive(-5, 5)
    driver.run([(0, "l", "k", 10), (1, "r", "k", 7), (1, "s", "k", 12)])
    assert driver.out == [(("l", "r", 10, 7, 10), 10), (("l", "s", 10, 12, 12), 12)]


def test_a_record_at_the_watermark_is_not_late_and_still_finds_its_partners():
    driver = drive(0, 5, Pairs(), LEFT, RIGHT)
    driver.run([(0, "l", "k", 10), "cut", ("watermark", 15), "cut", (1, "r", "k", 15), (1, "late", "k", 14)])
    assert [record[:2] for record, _ in driver.out] == [("l", "r")]
    assert driver.sides == {"right": [("late", 14)]}


@pytest.mark.parametrize("bounds", [(0, 5), (-5, 0), (3, 5), (-5, -3), (-5, 5), (-5000, 5000)])
def test_records_go_when_nothing_can_be_joined_with_them_any_more(bounds):
    driver = drive(*bounds)
    driver.run([(0, "l", "k", 100), (1, "r", "k", 100), "cut", ("watermark", 20_000), "cut"])
    assert len(driver.store.entries) == 1, "the summary of timers"


def test_keys_are_joined_by_themselves():
    driver = drive(0, 0)
    driver.run([(0, "l", "a", 1), (1, "r", "b", 1), "cut", (1, "s", "a", 1)])
    assert [record[:2] for record, _ in driver.out] == [("l", "s")]


def test_a_function_may_give_nothing_or_several_or_to_a_side_output():
    class Some(ProcessJoinFunction):
        def process_element(self, left, right, ctx):
            return None if right == 0 else [(PAIR, left), *[left] * right]

    driver = drive(0, 9, Some())
    driver.run([(0, "l", "k", 1), (1, 0, "k", 2), (1, 2, "k", 3), (1, 1, "k", 4)])
    assert driver.out == [("l", 3), ("l", 3), ("l", 4)]
    assert driver.sides == {"pair": [("l", 3), ("l", 4)]}


def test_many_records_of_a_key_are_found_in_their_state():
    driver = drive(-10, 10)
    driver.records(0, [(n, "k", n * 10) for n in range(3000)])
    driver.cut()
    assert len(driver.store.entries) > 10, "the map has grown out of its page"
    driver.records(1, [("r", "k", 15_000)])
    assert sorted(record[0] for record, _ in driver.out) == list(range(1499, 1502))


def test_what_is_given_is_no_part_of_what_is_kept():
    class Left(ProcessJoinFunction):
        def process_element(self, left, right, ctx):
            yield left

    driver = drive(0, 9, Left())
    driver.run([(0, ["l"], "k", 1), (1, "r", "k", 2)])
    driver.out[0][0].append("changed downstream")
    assert driver.run([(1, "r", "k", 2)])[-1] == (["l"], 2)


def test_a_record_without_timestamp_says_what_to_do():
    driver = drive(0, 9)
    with pytest.raises(ValidationError, match="assign_timestamps_and_watermarks on both streams"):
        driver.run([(0, "l", "k", None)])


def test_who_raised_on_what():
    class Fails(ProcessJoinFunction):
        def process_element(self, left, right, ctx):
            yield left // right

    driver = drive(0, 9, Fails())
    with pytest.raises(ZeroDivisionError):
        driver.records(0, [(1, "k", 1)])
        driver.records(1, [(1, "k", 1), (0, "k", 2)])
    assert driver.host.record == 0
    assert driver.host.what.endswith("Fails.process_element")


# -- the API ------------------------------------------------------------------------------------------


def keyed(env=None, key_type=None):
    env = env or StreamExecutionEnvironment.get_execution_environment()
    return env.from_collection([1]).key_by(lambda x: x, key_type)


def joined(lower, upper, left=None):
    left = left or keyed()
    return IntervalJoin(left, keyed(left._env)).between(lower, upper)


def operator(stream):
    return node_of(stream).operator


def test_bounds_and_side_outputs_reach_the_operator():
    join = joined(Time.seconds(-1), Duration.of_millis(5)).lower_bound_exclusive().upper_bound_exclusive()
    op = operator(
        join.side_output_left_late_data(LEFT).side_output_right_late_data(RIGHT).process(Pairs(), Types.STRING())
    )
    assert (type(op), type(op.instance), op.output_type) == (KeyedCoProcess, Pairs, Types.STRING())
    buffers = op.function
    assert (buffers._lower, buffers._upper, buffers._left_late, buffers._right_late) == (-999, 4, LEFT, RIGHT)


def test_a_join_in_event_time_is_the_join():
    left = keyed()
    join = IntervalJoin(left, left)
    assert join.in_event_time() is join
    with pytest.raises(UnsupportedOperation, match="by the records' timestamps"):
        join.in_processing_time()


def test_what_is_wrong_is_refused_when_it_is_written():
    with pytest.raises(ValidationError, match="lower bound that is not above the upper one, got 1, 0"):
        joined(Time.milliseconds(1), Time.milliseconds(0))
    with pytest.raises(ValidationError, match="nothing is between the bounds 1 and 2 ms without"):
        joined(Time(1), Time(2)).lower_bound_exclusive().upper_bound_exclusive().process(Pairs())
    with pytest.raises(ValidationError, match="lower bound of an interval join must be a Time or a Duration, got 1"):
        joined(1, Time(2))
    with pytest.raises(ValidationError, match=r"needs a ProcessJoinFunction, which has process_element\(left, right"):
        joined(Time(1), Time(2)).process(lambda left, right: [])
    with pytest.raises(ValidationError, match=r"pass an object: Pairs\(\)"):
        joined(Time(1), Time(2)).process(Pairs)
    with pytest.raises(ValidationError, match="side_output_left_late_data needs an OutputTag, got 'late'"):
        joined(Time(1), Time(2)).side_output_left_late_data("late")
    left = keyed(key_type=Types.INT())
    with pytest.raises(ValidationError, match="needs a stream that key_by made"):
        IntervalJoin(left, without_keys(left))
    with pytest.raises(ValidationError, match="streams of one StreamExecutionEnvironment"):
        IntervalJoin(left, keyed())
    with pytest.raises(ValidationError, match="keys are of one type"):
        IntervalJoin(left, keyed(left._env, Types.STRING()))
