"""`AsyncDataStream`: the operator that it makes, and what it refuses."""

from __future__ import annotations

import pickle

import cloudpickle
import pytest

from datastream import StreamExecutionEnvironment
from datastream.api.async_data_stream import AsyncDataStream
from datastream.api.step import node_of
from datastream.errors import ValidationError
from datastream.functions import AsyncFunction, AsyncFunctionDescriptor, AsyncRetryStrategy, empty_result_predicate
from datastream.graph.operators import Async
from datastream.time import Time
from datastream.types import Types

MODE = AsyncFunctionDescriptor.OutputMode
SECOND = Time.seconds(1)
RETRY = AsyncRetryStrategy.fixed_delay(2, 5, empty_result_predicate)


class Ask(AsyncFunction):
    async def async_invoke(self, value):
        return [value]


@pytest.fixture
def stream():
    return StreamExecutionEnvironment.get_execution_environment().from_collection([1, 2])


def made(stream):
    return node_of(stream).operator


@pytest.mark.parametrize(
    ("method", "mode"), [(AsyncDataStream.ordered_wait, MODE.ORDERED), (AsyncDataStream.unordered_wait, MODE.UNORDERED)]
)
def test_without_retry(stream, method, mode):
    function = Ask()
    op = made(method(stream, function, SECOND, output_type=Types.INT()))
    assert type(op) is Async
    assert type(op.rich_function) is Ask and op.rich_function is op.descriptor.async_function
    assert op.rich_function is not function, "what happens to it later does not reach the job"
    assert (op.descriptor.capacity, op.descriptor.output_mode) == (100, mode)
    assert op.descriptor.timeout == SECOND
    assert op.output_type == Types.INT()
    assert not op.descriptor.async_retry_strategy.can_retry(1)


@pytest.mark.parametrize(
    ("method", "mode"),
    [
        (AsyncDataStream.ordered_wait_with_retry, MODE.ORDERED),
        (AsyncDataStream.unordered_wait_with_retry, MODE.UNORDERED),
    ],
)
def test_with_retry(stream, method, mode):
    op = made(method(stream, Ask(), SECOND, RETRY, 7))
    assert (op.descriptor.capacity, op.descriptor.output_mode) == (7, mode)
    retry = op.descriptor.async_retry_strategy
    assert (retry.can_retry(2), retry.can_retry(3), retry.get_backoff_time_millis(1)) == (True, False, 5)


def test_the_function_that_is_opened_is_the_one_that_is_run(stream):
    op = made(AsyncDataStream.ordered_wait(stream, Ask(), SECOND))
    function, instance = pickle.loads(cloudpickle.dumps((op.descriptor, op.rich_function)))
    assert function.async_function is instance


class NotAsync(AsyncFunction):
    def async_invoke(self, value):
        return [value]


class AsyncOpen(Ask):
    async def open(self, runtime_context):
        pass


class AsyncTimeout(Ask):
    async def timeout(self, value):
        return []


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((Ask, SECOND), "is the class Ask; pass an object: Ask()"),
        ((len, SECOND), "must be an AsyncFunction"),
        ((Ask(), 1000), "timeout must be a Time above zero: got 1000"),
        ((Ask(), SECOND, 0), "capacity must be a whole number above zero: got 0"),
        ((NotAsync(), SECOND), "NotAsync.async_invoke must be declared with 'async def'"),
        ((AsyncOpen(), SECOND), "AsyncOpen.open must be declared with 'def': it is not awaited"),
        ((AsyncTimeout(), SECOND), "AsyncTimeout.timeout must be declared with 'def'"),
    ],
)
def test_what_is_refused(stream, arguments, text):
    with pytest.raises(ValidationError) as caught:
        AsyncDataStream.unordered_wait(stream, *arguments)
    assert text in str(caught.value)


def test_a_stream_and_a_strategy_are_needed(stream):
    with pytest.raises(ValidationError, match="data_stream must be a DataStream: got 5"):
        AsyncDataStream.ordered_wait(5, Ask(), SECOND)
    with pytest.raises(ValidationError, match="async_retry_strategy must be an AsyncRetryStrategy: got 3"):
        AsyncDataStream.ordered_wait_with_retry(stream, Ask(), SECOND, 3)
