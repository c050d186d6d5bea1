"""`AsyncDataStream`: asks other systems about records, many at a time."""

from __future__ import annotations

import inspect
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.functions import AsyncFunction, AsyncFunctionDescriptor, AsyncRetryStrategy
from datastream.graph.operators import Async
from datastream.time import Time
from datastream.types import TypeInformation

from .data_stream import DataStream
from .step import node_of

_Mode = AsyncFunctionDescriptor.OutputMode


class AsyncDataStream:
    """Replaces each record by what an `AsyncFunction` finds out about it.

    In every method:

    - `timeout` is how long a record may take, all its tries together; then `AsyncFunction.timeout` is asked, which
      raises TimeoutError unless it is overridden.
    - `capacity` is how many records are worked on at a time in each subtask.
    - `output_type` is the declared type of the results.

    A result has the timestamp of its record. Without a retry strategy whatever the function raises fails the job.

    Raises:
        ValidationError: An argument is not what it should be.
    """

    @staticmethod
    def unordered_wait(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: Time,
        capacity: int = 100,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Give results as they come; they may pass each other, but never a watermark."""
        strategy = AsyncRetryStrategy.no_restart()
        return _wait(data_stream, async_function, timeout, strategy, capacity, output_type, _Mode.UNORDERED)

    @staticmethod
    def unordered_wait_with_retry(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: Time,
        async_retry_strategy: AsyncRetryStrategy[Any],
        capacity: int = 100,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Like `unordered_wait`; the strategy says what is tried again, when and how often."""
        return _wait(data_stream, async_function, timeout, async_retry_strategy, capacity, output_type, _Mode.UNORDERED)

    @staticmethod
    def ordered_wait(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: Time,
        capacity: int = 100,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Give results in the order of the records."""
        strategy = AsyncRetryStrategy.no_restart()
        return _wait(data_stream, async_function, timeout, strategy, capacity, output_type, _Mode.ORDERED)

    @staticmethod
    def ordered_wait_with_retry(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: Time,
        async_retry_strategy: AsyncRetryStrategy[Any],
        capacity: int = 100,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Like `ordered_wait`; the strategy says what is tried again, when and how often."""
        return _wait(data_stream, async_function, timeout, async_retry_strategy, capacity, output_type, _Mode.ORDERED)


def _wait(
    stream: DataStream,
    function: Any,
    timeout: Time,
    strategy: AsyncRetryStrategy[Any],
    capacity: int,
    output_type: TypeInformation | None,
    mode: AsyncFunctionDescriptor.OutputMode,
) -> DataStream:
    if not isinstance(stream, DataStream):
        raise ValidationError(f"data_stream must be a DataStream: got {cut(stream)}.")
    if isinstance(function, type):
        raise ValidationError(f"async_function is the class {function.__name__}; pass an object: {function.__name__}()")
    if not isinstance(strategy, AsyncRetryStrategy):
        raise ValidationError(f"async_retry_strategy must be an AsyncRetryStrategy: got {cut(strategy)}.")
    descriptor = AsyncFunctionDescriptor(function, timeout, capacity, strategy, mode)
    _check_methods(function)
    node = node_of(stream).then(Async, "async wait operator", descriptor=descriptor, output_type=output_type)
    return DataStream(stream.get_execution_environment(), node)


def _check_methods(function: AsyncFunction[Any, Any]) -> None:
    name = type(function).__qualname__
    if not inspect.iscoroutinefunction(function.async_invoke):
        raise ValidationError(f"{name}.async_invoke must be declared with 'async def', so that others can go on.")
    for method in (function.timeout, function.open, function.close):
        if inspect.iscoroutinefunction(method):
            raise ValidationError(f"{name}.{method.__name__} must be declared with 'def': it is not awaited.")
