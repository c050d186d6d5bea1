"""Async functions in one subtask: order, capacity, time, retries, failures.

No test measures time: functions wait for each other, or for a timeout that is short or never comes.
"""

from __future__ import annotations

import asyncio
import random
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import ValidationError
from datastream.functions import (
    AsyncFunction,
    AsyncFunctionDescriptor,
    AsyncRetryStrategy,
    empty_result_predicate,
    exception_type_predicate,
)
from datastream.graph.operators import Async
from datastream.runtime.hosts.async_io import AsyncHost
from datastream.runtime.hosts.host import Setting
from datastream.time import Time

ORDERED, UNORDERED = AsyncFunctionDescriptor.OutputMode
BOTH = pytest.mark.parametrize("mode", [ORDERED, UNORDERED])


class Function(AsyncFunction):
    """Runs a coroutine function of the test's."""

    def __init__(self, invoke, timeout=None):
        self.invoke, self.late = invoke, timeout

    async def async_invoke(self, value):
        return await self.invoke(value)

    def timeout(self, value):
        return super().timeout(value) if self.late is None else self.late(value)


class Driver:
    """A host in the middle of an epoch."""

    def __init__(self, invoke, mode=ORDERED, capacity=4, timeout_ms=60_000, retry=None, late=None, timed=True):
        function = Function(invoke, late)
        strategy = retry or AsyncRetryStrategy.no_restart()
        run = AsyncFunctionDescriptor(function, Time(timeout_ms), capacity, strategy, mode)
        self.host = AsyncHost(Async(0, "ask", run), Setting(timed=timed))
        self.begin()

    def begin(self):
        self.host.begin(None, range(0), 0)

    def process(self, records, times=None):
        out, out_times = self.host.process(0, list(records), None, times)
        assert out_times is None or len(out_times) == len(out)
        return out

    def rest(self):
        return [record for out, _ in self.host.drain() for record in out]

    def all(self, records):
        return self.process(records) + self.rest()


async def echo(value):
    return [value]


async def hop(value):
    """Comes back after some rounds of the loop, that differ from record to record."""
    for _ in range(value % 7):
        await asyncio.sleep(0)
    return [value]


# -- order ------------------------------------------------------------------------------------------------


def meeting(order):
    """Functions that answer in this order, whatever order they are called in."""
    events = {value: asyncio.Event() for value in order}
    following = dict(zip(order, [*order[1:], None], strict=True))

    async def invoke(value):
        if value != order[0]:
            await events[value].wait()
        if following[value] is not None:
            events[following[value]].set()
        return [value]

    return invoke


def test_ordered_results_keep_the_order_of_the_records():
    assert Driver(meeting([3, 1, 2, 0]), ORDERED).all(range(4)) == [0, 1, 2, 3]


def test_unordered_results_come_as_they_are_ready():
    assert Driver(meeting([3, 1, 2, 0]), UNORDERED).all(range(4)) == [3, 1, 2, 0]


def test_unordered_results_never_pass_a_watermark():
    driver = Driver(meeting([1, 0]), UNORDERED)
    before = driver.process([0, 1])
    before += [record for out, _ in driver.host.advance(10) for record in out]
    assert before == [1, 0]
    assert driver.host.watermark == 10
    assert driver.host._calls.open == 0


@BOTH
def test_calls_stay_open_from_one_block_to_the_next(mode):
    driver = Driver(meeting([2, 1, 0]), mode)
    assert driver.process([0]) == []
    assert driver.process([1]) == []
    assert sorted(driver.process([2]) + driver.rest()) == [0, 1, 2]
    driver.host.flush()


@given(
    st.lists(st.lists(st.integers(0, 50), max_size=40), max_size=6),
    st.sampled_from([ORDERED, UNORDERED]),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_every_record_gives_its_results_once_with_its_time(blocks, mode, capacity, chance):
    async def twice(value):
        await hop(value)
        return [value] * (value % 3)

    driver = Driver(twice, mode, capacity)
    expected, found = [], []
    for block in blocks:
        times = [chance.choice([None, random.randrange(100)]) for _ in block]
        expected += [(v, t) for v, t in zip(block, times, strict=True) for _ in range(v % 3)]
        out, out_times = driver.host.process(0, block, None, times)
        found += zip(out, out_times, strict=True)
        if chance.random() < 0.3:
            found += [pair for out, at in driver.host.tick(0) for pair in zip(out, at, strict=True)]
    found += [pair for out, at in driver.host.end() for pair in zip(out, at, strict=True)]
    driver.host.flush()
    if mode is ORDERED:
        assert found == expected
    else:
        assert sorted(found, key=repr) == sorted(expected, key=repr)


def test_a_result_has_the_timestamp_of_its_record():
    host = Driver(echo).host
    out, times = host.process(0, ["a", "b"], None, [5, None])
    for more, more_times in host.end():
        out, times = out + more, times + more_times
    assert list(zip(out, times, strict=True)) == [("a", 5), ("b", None)]


def test_nothing_carries_time_where_nobody_asks_for_it():
    host = Driver(echo, timed=False).host
    assert host.process(0, [1], None, [5])[1] is None


def test_an_epoch_without_records_starts_nothing():
    driver = Driver(echo)
    assert driver.rest() == []
    driver.host.flush()
    assert driver.host._calls._loop is None


# -- capacity ---------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("capacity", [1, 3, 100])
def test_capacity_is_how_many_are_worked_on_at_a_time(mode, capacity):
    running, most = 0, 0

    async def invoke(value):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return [value]

    assert len(Driver(invoke, mode, capacity).all(range(200))) == 200
    assert most == capacity


def test_ordered_mode_holds_no_more_results_than_the_capacity_from_block_to_block():
    first = asyncio.Event()

    async def invoke(value):
        if value == 0:
            await first.wait()
        if value == 20:
            first.set()
        return [value]

    driver = Driver(invoke, ORDERED, capacity=4)
    assert driver.process(range(3)) == []
    assert driver.process(range(3, 25)) == list(range(25))


# -- timeouts ---------------------------------------------------------------------------------------------


async def never(value):
    await asyncio.Event().wait()


def test_a_timeout_fails_the_job_unless_there_is_a_fallback():
    driver = Driver(never, timeout_ms=1)
    with pytest.raises(TimeoutError, match="timed out for input: 'x'"):
        driver.all(["x"])
    assert driver.host.record == "x"
    assert driver.host.what == "Function.timeout"


@BOTH
def test_a_fallback_takes_the_place_of_the_answer(mode):
    async def invoke(value):
        return await (never if value % 2 else echo)(value)

    driver = Driver(invoke, mode, capacity=2, timeout_ms=1, late=lambda value: [-value, -value])
    found = driver.all(range(6))
    expected = [0, -1, -1, 2, -3, -3, 4, -5, -5]
    assert found == expected if mode is ORDERED else sorted(found) == sorted(expected)


def test_a_call_that_took_too_long_is_cancelled_and_its_answer_not_used():
    ended = []

    async def stubborn(value):
        try:
            await never(value)
        except asyncio.CancelledError:
            ended.append(value)
        return ["too late"]

    driver = Driver(stubborn, timeout_ms=1, late=lambda value: [value])
    assert driver.all([1, 2, 3]) == [1, 2, 3]
    assert driver.all([4]) == [4]
    assert ended[:3] == [1, 2, 3]


def test_a_timeout_of_the_functions_own_is_an_exception_like_others():
    async def invoke(value):
        raise TimeoutError("mine")

    driver = Driver(invoke, late=lambda value: [])
    with pytest.raises(TimeoutError, match="mine"):
        driver.all([1])
    assert driver.host.what == "Function.async_invoke"


def test_the_timeout_spans_all_tries_and_waits():
    tries = []

    async def invoke(value):
        tries.append(value)
        raise OSError

    retry = AsyncRetryStrategy.fixed_delay(
        10**9, 1, None, partial(exception_type_predicate, expected_error_type=OSError)
    )
    assert Driver(invoke, timeout_ms=20, retry=retry, late=lambda value: ["late"]).all([1]) == ["late"]
    assert tries


def test_a_timeout_does_not_go_on_while_the_task_does_something_else():
    asked = asyncio.Event()

    async def invoke(value):
        if value == "first":
            await asked.wait()
        else:
            asked.set()
        return [value]

    driver = Driver(invoke, timeout_ms=10_000)
    assert driver.process(["first"]) == []
    driver.host._calls._stopped -= 3600  # an hour in functions behind this one
    assert driver.process(["second"]) + driver.rest() == ["first", "second"]


def test_a_fallback_that_is_no_list():
    driver = Driver(never, timeout_ms=1, late=lambda value: 5)
    with pytest.raises(ValidationError, match="must return a list of records, an empty one for none: got int 5"):
        driver.all([1])
    assert driver.host.what == "Function.timeout"


# -- retries ----------------------------------------------------------------------------------------------


def failing(times, error=None, result=None):
    """Fails, or gives a poor result, so many times for each record."""
    tries = {}

    async def invoke(value):
        tries[value] = tries.get(value, 0) + 1
        if tries[value] <= times:
            if error is not None:
                raise error
            return result
        return [value]

    return invoke, tries


def test_an_exception_that_the_predicate_names_is_tried_again():
    invoke, tries = failing(2, OSError("busy"))
    retry = AsyncRetryStrategy.fixed_delay(2, 1, None, partial(exception_type_predicate, expected_error_type=OSError))
    assert Driver(invoke, retry=retry).all([1, 2]) == [1, 2]
    assert tries == {1: 3, 2: 3}


def test_an_exception_fails_the_job_when_there_were_so_many_more_tries():
    invoke, tries = failing(3, OSError("busy"))
    retry = AsyncRetryStrategy.fixed_delay(2, 1, None, partial(exception_type_predicate, expected_error_type=OSError))
    with pytest.raises(OSError, match="busy"):
        Driver(invoke, retry=retry).all([1])
    assert tries == {1: 3}


def test_another_exception_is_not_tried_again():
    invoke, tries = failing(1, ValueError("bad"))
    retry = AsyncRetryStrategy.fixed_delay(2, 1, None, partial(exception_type_predicate, expected_error_type=OSError))
    with pytest.raises(ValueError, match="bad"):
        Driver(invoke, retry=retry).all([1])
    assert tries == {1: 1}


def test_a_result_that_the_predicate_names_is_tried_again_and_the_last_one_counts():
    invoke, tries = failing(2, result=[])
    retry = AsyncRetryStrategy.fixed_delay(1, 1, empty_result_predicate, None)
    assert Driver(invoke, retry=retry).all([1]) == []
    assert tries == {1: 2}


# -- failures ---------------------------------------------------------------------------------------------


@BOTH
def test_a_failure_names_its_record_and_ends_all_calls(mode):
    ended = []

    async def invoke(value):
        if value == 3:
            await asyncio.sleep(0)
            raise KeyError("three")
        try:
            await never(value)
        finally:
            ended.append(value)

    driver = Driver(invoke, mode)
    with pytest.raises(KeyError, match="three") as caught:
        driver.all(range(10))
    assert driver.host.record == 3
    assert driver.host.what == "Function.async_invoke"
    assert sorted(ended) == [0, 1, 2]
    assert "raise KeyError" in str(caught.traceback[-1].statement)
    driver.begin()
    assert driver.rest() == []


def test_sys_exit_in_a_function_names_its_record():
    async def invoke(value):
        raise SystemExit(3)

    driver = Driver(invoke)
    with pytest.raises(SystemExit):
        driver.all(["x"])
    assert driver.host.record == "x"


def test_a_call_that_is_cancelled_from_within():
    async def invoke(value):
        raise asyncio.CancelledError

    driver = Driver(invoke)
    with pytest.raises(RuntimeError, match="cancelled, but not by its timeout"):
        driver.all(["x"])
    assert driver.host.record == "x"


def test_an_epoch_that_failed_elsewhere_leaves_nothing():
    driver = Driver(meeting(["x", "old"]))
    assert driver.process(["old"]) == []
    driver.begin()
    assert driver.all(["x"]) == ["x"]
    driver.host.flush()


def test_records_that_were_not_asked_for_are_not_lost_silently():
    driver = Driver(meeting([1, 0]))
    driver.process([0])
    with pytest.raises(RuntimeError, match="1 records of 'ask'"):
        driver.host.flush()
    driver.host._calls.abandon()


@pytest.mark.parametrize("wrong", [5, None])
def test_a_result_that_is_no_list_of_records(wrong):
    async def invoke(value):
        return wrong

    driver = Driver(invoke)
    with pytest.raises(ValidationError, match="Function must return a list of records"):
        driver.all([1])
    assert driver.host.record == 1


@pytest.mark.parametrize("right", [[1, 2], (1, 2), iter([1, 2])])
def test_other_series_of_records(right):
    async def invoke(value):
        return right

    assert Driver(invoke).all([0]) == [1, 2]
