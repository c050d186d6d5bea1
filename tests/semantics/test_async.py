"""Async functions and metrics in whole jobs."""

from __future__ import annotations

import asyncio
from functools import partial

from datastream import AsyncDataStream, AsyncFunction, ProcessFunction, Time, WatermarkStrategy
from datastream.functions import AsyncRetryStrategy, exception_type_predicate
from datastream.testing import case
from datastream.time import TimestampAssigner, WatermarkGenerator

SECONDS = Time.seconds(30)


class Slowly(AsyncFunction):
    """Later records answer sooner."""

    async def async_invoke(self, value):
        await asyncio.sleep(0.0005 * (10 - value % 10))
        return [value]


class Itself(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class EachFifth(WatermarkGenerator):
    def on_event(self, event, event_timestamp, output):
        if event % 5 == 4:
            output.emit_watermark(event_timestamp)

    def on_periodic_emit(self, output):
        pass


class Look(ProcessFunction):
    def process_element(self, value, ctx):
        yield value, ctx.timestamp(), ctx.timer_service().current_watermark()


@case(parallelism=1)
def test_ordered_results_keep_their_order(env):
    got = yield AsyncDataStream.ordered_wait(env.from_sequence(0, 99), Slowly(), SECONDS)
    assert got == list(range(100))


@case
def test_unordered_results_are_all_there(env):
    got = yield AsyncDataStream.unordered_wait(env.from_sequence(0, 999), Slowly(), SECONDS)
    assert sorted(got) == list(range(1000))


@case(parallelism=1)
def test_unordered_results_never_pass_a_watermark_and_keep_their_timestamps(env):
    strategy = WatermarkStrategy.for_generator(EachFifth).with_timestamp_assigner(Itself())
    stream = env.from_sequence(0, 99).assign_timestamps_and_watermarks(strategy)
    got = yield AsyncDataStream.unordered_wait(stream, Slowly(), SECONDS).process(Look())
    assert sorted(value for value, _, _ in got) == list(range(100))
    assert [(v, t, w) for v, t, w in got if t != v or w >= v] == []
    assert len({watermark for _, _, watermark in got}) == 20


class Flaky(AsyncFunction):
    def __init__(self):
        self.tried = set()

    async def async_invoke(self, value):
        if value not in self.tried:
            self.tried.add(value)
            raise OSError("busy")
        return [value, value]


@case
def test_retries_behind_an_exchange(env):
    retry = AsyncRetryStrategy.fixed_delay(1, 1, None, partial(exception_type_predicate, expected_error_type=OSError))
    stream = env.from_sequence(0, 9).rebalance()
    got = yield AsyncDataStream.unordered_wait_with_retry(stream, Flaky(), SECONDS, retry)
    assert sorted(got) == sorted([*range(10), *range(10)])


class Counting(Slowly):
    def open(self, runtime_context):
        group = runtime_context.get_metrics_group()
        self.seen = group.counter("seen")
        self.sizes = group.add_group("by").distribution("size")

    async def async_invoke(self, value):
        self.seen.inc()
        self.sizes.update(value)
        return [value]


def test_metrics_are_in_the_jobs_result(run):
    from datastream import StreamExecutionEnvironment

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    AsyncDataStream.unordered_wait(env.from_sequence(1, 100), Counting(), SECONDS).uid("ask").print()
    result = env.execute("metrics")
    assert result.get_accumulator_result("ask.seen") == 100
    size = {"count": 100, "sum": 5050, "min": 1, "max": 100, "mean": 50.5}
    assert result.get_accumulator_result("ask.by.size") == size


@case
def test_async_functions_behind_one_another(env):
    first = AsyncDataStream.unordered_wait(env.from_sequence(0, 299), Slowly(), SECONDS)
    got = yield AsyncDataStream.ordered_wait(first.map(lambda v: v + 1), Slowly(), SECONDS, capacity=7)
    assert sorted(got) == list(range(1, 301))
