"""Functions that wait for answers of other systems, many at a time."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from datastream.errors import ValidationError, cut
from datastream.functions.function import Function
from datastream.time import Time

if TYPE_CHECKING:
    from datastream.functions.async_retry_strategies import AsyncRetryStrategy

IN = TypeVar("IN")
OUT = TypeVar("OUT")


class AsyncFunction(Function, Generic[IN, OUT]):
    """Makes a list of records of each record, and may wait in doing so: other records are then worked on."""

    @abstractmethod
    async def async_invoke(self, value: IN) -> list[OUT]:
        """Return the records that take the place of `value`. What it raises fails the job unless it is tried again."""

    def timeout(self, value: IN) -> list[OUT]:
        """Return the records for a `value` whose answer took too long, all tries taken together.

        Raises:
            TimeoutError: Always, unless a subclass returns something.
        """
        raise TimeoutError(f"Async function call has timed out for input: {cut(value)}")


class CachingAsyncFunction(AsyncFunction[IN, OUT]):
    """An async function that has some answers at hand: those cost no turn of the event loop."""

    @abstractmethod
    def cached(self, value: IN) -> list[OUT] | None:
        """The records that take the place of `value`, as `async_invoke` would return them; None: it has to be asked."""


@dataclass(frozen=True)
class AsyncFunctionDescriptor:
    """How an async function runs.

    Attributes:
        async_function: The function.
        timeout: How long a record may take, all its tries and the waits between them together.
        capacity: How many records are worked on at a time.
        async_retry_strategy: When a record is tried again.
        output_mode: Whether results keep the order of the records.

    Raises:
        ValidationError: The function is not an `AsyncFunction`, or a number is out of range.
    """

    class OutputMode(Enum):
        """Whether results keep the order of the records."""

        #: They do. A slow record holds back those after it.
        ORDERED = 0
        #: They leave as they come, but never pass a watermark.
        UNORDERED = 1

    async_function: AsyncFunction[Any, Any]
    timeout: Time
    capacity: int
    async_retry_strategy: AsyncRetryStrategy[Any]
    output_mode: OutputMode

    def __post_init__(self) -> None:
        if not isinstance(self.async_function, AsyncFunction):
            raise ValidationError(f"async_function must be an AsyncFunction: got {cut(self.async_function)}.")
        if not isinstance(self.timeout, Time) or self.timeout.to_milliseconds() <= 0:
            raise ValidationError(f"timeout must be a Time above zero: got {cut(self.timeout)}.")
        if not isinstance(self.capacity, int) or self.capacity <= 0:
            raise ValidationError(f"capacity must be a whole number above zero: got {cut(self.capacity)}.")
