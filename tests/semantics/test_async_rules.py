"""Async functions. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

import asyncio
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest

from datastream import AsyncDataStream, AsyncFunction, FunctionError, Time
from datastream.functions import AsyncRetryStrategy, exception_type_predicate
from datastream.testing import case

SECONDS = Time.seconds(30)


class Crowd(AsyncFunction):
    """Tells how many records are worked on at a time."""

    working = 0

    async def async_invoke(self, value):
        self.working += 1
        await asyncio.sleep(0.003)
        together = self.working
        self.working -= 1
        return [together]


@case(parallelism=1)
def test_at_most_capacity_records_are_worked_on_at_a_time(env):
    got = yield AsyncDataStream.unordered_wait(env.from_sequence(1, 40), Crowd(), SECONDS, capacity=4)
    assert max(got) == 4


class TooSlow(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(0 if value % 2 else 60)
        return ["answer"]

    def timeout(self, value):
        return ["fallback"]


@case
def test_timeout_gives_the_results_of_a_record_that_took_too_long(env):
    stream = AsyncDataStream.ordered_wait(env.from_sequence(0, 3), TooSlow(), Time.milliseconds(50))
    got = yield stream
    assert sorted(got) == ["answer", "answer", "fallback", "fallback"]


class Never(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(60)
        return [value]


def test_a_timeout_fails_the_job_by_default(run):
    stream = run.environment().from_sequence(0, 0)
    with pytest.raises(FunctionError, match="(?s)(?i)time.*Never"):
        run.collect(AsyncDataStream.unordered_wait(stream, Never(), Time.milliseconds(50)))


class Failing(AsyncFunction):
    """Fails so many times for each record; says how often it was tried."""

    def __init__(self, failures):
        self.failures = failures
        self.tries = {}

    async def async_invoke(self, value):
        tries = self.tries[value] = self.tries.get(value, 0) + 1
        if tries <= self.failures:
            raise OSError("busy")
        return [tries]


def retried(stream, function, attempts, timeout=SECONDS, delay=1):
    retry = AsyncRetryStrategy.fixed_delay(
        attempts, delay, None, partial(exception_type_predicate, expected_error_type=OSError)
    )
    return AsyncDataStream.unordered_wait_with_retry(stream, function, timeout, retry)


@case
def test_a_call_is_tried_so_many_more_times(env):
    got = yield retried(env.from_sequence(1, 3), Failing(2), attempts=2)
    assert got == [3, 3, 3]


def test_the_last_exception_fails_the_job_when_tries_are_used_up(run):
    with pytest.raises(FunctionError, match="(?s)busy.*Failing"):
        run.collect(retried(run.environment().from_sequence(1, 1), Failing(3), attempts=2))


class AlwaysPoor(AsyncFunction):
    def __init__(self):
        self.tries = 0

    async def async_invoke(self, value):
        self.tries += 1
        return [self.tries]


@case
def test_the_last_result_counts_when_tries_are_used_up(env):
    retry = AsyncRetryStrategy.fixed_delay(3, 1, lambda result: True, None)
    got = yield AsyncDataStream.ordered_wait_with_retry(env.from_sequence(1, 1), AlwaysPoor(), SECONDS, retry)
    assert got == [4]


class Busy(Failing):
    def timeout(self, value):
        return ["timeout"]


@case
def test_the_timeout_spans_all_tries_and_the_waits_between_them(env):
    got = yield retried(env.from_sequence(1, 1), Busy(10**6), 10**6, Time.milliseconds(150), delay=20)
    assert got == ["timeout"]


class Cancelled(Never):
    """Leaves a file behind when it is cancelled."""

    def __init__(self, path):
        self.path = path

    async def async_invoke(self, value):
        try:
            return await super().async_invoke(value)
        except asyncio.CancelledError:
            with open(self.path, "w") as file:
                file.write("cancelled")
            raise

    def timeout(self, value):
        return ["timeout"]


@case
def test_a_call_that_took_too_long_is_cancelled(env):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "told"
        stream = AsyncDataStream.ordered_wait(env.from_sequence(1, 1), Cancelled(str(path)), Time.milliseconds(50))
        got = yield stream
        assert (got, path.read_text()) == (["timeout"], "cancelled")


class Answers(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(0.001)
        return [value]


def slow_map(value):
    time.sleep(0.15)
    return value


@case(parallelism=1)
def test_a_timeout_does_not_go_on_while_the_task_does_something_else(env):
    stream = AsyncDataStream.ordered_wait(env.from_sequence(1, 5).map(slow_map), Answers(), Time.milliseconds(100))
    got = yield stream.map(slow_map)
    assert got == [1, 2, 3, 4, 5]
