"""When an async function is called again for a record, and the strategies that come with the project."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from datastream.errors import ValidationError, cut

OUT = TypeVar("OUT")


class AsyncRetryPredicate(ABC, Generic[OUT]):
    """What of a call makes it worth another try."""

    @abstractmethod
    def result_predicate(self) -> Callable[[list[Any]], bool] | None:
        """Return the function that says of a result whether to try again; None takes every result."""

    @abstractmethod
    def exception_predicate(self) -> Callable[[Exception], bool] | None:
        """Return the function that says of an exception whether to try again; None never does."""


class AsyncRetryStrategy(ABC, Generic[OUT]):
    """How often, when and after what an async function is called again for a record.

    One strategy serves all records, so it remembers nothing of a record.
    """

    @abstractmethod
    def can_retry(self, current_attempts: int) -> bool:
        """Return whether another try is allowed after this number of tries, of which the first call is number 1."""

    @abstractmethod
    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return how long to wait before the next try, in ms, after this number of tries."""

    @abstractmethod
    def get_retry_predicate(self) -> AsyncRetryPredicate[Any]:
        """Return what makes a call worth another try."""

    @staticmethod
    def no_restart() -> AsyncRetryStrategy[Any]:
        """Return the strategy that never tries again."""
        return NoRetryStrategy()

    @staticmethod
    def fixed_delay(
        max_attempts: int,
        backoff_time_millis: int,
        result_predicate: Callable[[list[Any]], bool] | None = None,
        exception_predicate: Callable[[Exception], bool] | None = None,
    ) -> AsyncRetryStrategy[Any]:
        """Return a strategy that waits the same time before each try.

        Args:
            max_attempts: How many more times a record is tried after the first, above 0.
            backoff_time_millis: The time in ms, above 0.
            result_predicate: Says of a result whether to try again; None takes every result.
            exception_predicate: Says of an exception whether to try again; None never does.

        Raises:
            ValidationError: A number is out of range.
        """
        return FixedDelayRetryStrategy(max_attempts, backoff_time_millis, result_predicate, exception_predicate)

    @staticmethod
    def exponential_backoff(
        max_attempts: int,
        initial_delay: int,
        max_retry_delay: int,
        multiplier: float,
        result_predicate: Callable[[list[Any]], bool] | None = None,
        exception_predicate: Callable[[Exception], bool] | None = None,
    ) -> AsyncRetryStrategy[Any]:
        """Return a strategy that waits longer before each try.

        Args:
            max_attempts: How many more times a record is tried after the first, above 0.
            initial_delay: The time before the second try in ms, above 0.
            max_retry_delay: The longest time in ms, not below the initial one.
            multiplier: How many times longer each wait is than the one before, above 0.
            result_predicate: Says of a result whether to try again; None takes every result.
            exception_predicate: Says of an exception whether to try again; None never does.

        Raises:
            ValidationError: A number is out of range.
        """
        return ExponentialBackoffDelayRetryStrategy(
            max_attempts, initial_delay, max_retry_delay, multiplier, result_predicate, exception_predicate
        )


class RetryPredicate(AsyncRetryPredicate[OUT]):
    """Two functions, either of which may be missing.

    Args:
        result_predicate: Says of a result whether to try again; None takes every result.
        exception_predicate: Says of an exception whether to try again; None never does.
    """

    def __init__(
        self,
        result_predicate: Callable[[list[Any]], bool] | None,
        exception_predicate: Callable[[Exception], bool] | None,
    ) -> None:
        self._result_predicate = result_predicate
        self._exception_predicate = exception_predicate

    def result_predicate(self) -> Callable[[list[Any]], bool] | None:
        """Return the function for results."""
        return self._result_predicate

    def exception_predicate(self) -> Callable[[Exception], bool] | None:
        """Return the function for exceptions."""
        return self._exception_predicate


class NoRetryStrategy(AsyncRetryStrategy[OUT]):
    """Never tries again."""

    def can_retry(self, current_attempts: int) -> bool:
        """Return False."""
        return False

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return -1: there is no next try."""
        return -1

    def get_retry_predicate(self) -> AsyncRetryPredicate[Any]:
        """Return a predicate of no functions."""
        return RetryPredicate(None, None)


class FixedDelayRetryStrategy(AsyncRetryStrategy[OUT]):
    """Waits the same time before each try; see `AsyncRetryStrategy.fixed_delay`."""

    def __init__(
        self,
        max_attempts: int,
        backoff_time_millis: int,
        result_predicate: Callable[[list[Any]], bool] | None,
        exception_predicate: Callable[[Exception], bool] | None,
    ) -> None:
        _require(max_attempts > 0, "max_attempts must be above zero", max_attempts)
        _require(backoff_time_millis > 0, "backoff_time_millis must be above zero", backoff_time_millis)
        self._max_attempts = max_attempts
        self._backoff_time_millis = backoff_time_millis
        self._predicate: AsyncRetryPredicate[OUT] = RetryPredicate(result_predicate, exception_predicate)

    def can_retry(self, current_attempts: int) -> bool:
        """Return whether there were no more tries than are allowed."""
        return current_attempts <= self._max_attempts

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return the time in ms."""
        return self._backoff_time_millis

    def get_retry_predicate(self) -> AsyncRetryPredicate[Any]:
        """Return the two functions."""
        return self._predicate


class ExponentialBackoffDelayRetryStrategy(AsyncRetryStrategy[OUT]):
    """Waits longer before each try; see `AsyncRetryStrategy.exponential_backoff`."""

    def __init__(
        self,
        max_attempts: int,
        initial_delay: int,
        max_retry_delay: int,
        multiplier: float,
        result_predicate: Callable[[list[Any]], bool] | None,
        exception_predicate: Callable[[Exception], bool] | None,
    ) -> None:
        _require(max_attempts > 0, "max_attempts must be above zero", max_attempts)
        _require(initial_delay > 0, "initial_delay must be above zero", initial_delay)
        _require(max_retry_delay >= initial_delay, "max_retry_delay must not be below initial_delay", max_retry_delay)
        _require(multiplier > 0, "multiplier must be above zero", multiplier)
        self._max_attempts = max_attempts
        self._initial_delay = initial_delay
        self._max_retry_delay = max_retry_delay
        self._multiplier = multiplier
        self._predicate: AsyncRetryPredicate[OUT] = RetryPredicate(result_predicate, exception_predicate)

    def can_retry(self, current_attempts: int) -> bool:
        """Return whether there were no more tries than are allowed."""
        return current_attempts <= self._max_attempts

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return the initial time, multiplied once for each try after the first, up to the longest time, in ms.

        Flink remembers the last wait, which records that are tried at the same time then share; here it follows from
        the number of tries alone.
        """
        try:
            delay = self._initial_delay * self._multiplier ** (max(current_attempts, 1) - 1)
        except OverflowError:
            return self._max_retry_delay
        return int(min(delay, self._max_retry_delay))

    def get_retry_predicate(self) -> AsyncRetryPredicate[Any]:
        """Return the two functions."""
        return self._predicate


def _require(holds: bool, text: str, value: object) -> None:
    if not holds:
        raise ValidationError(f"{text}: got {cut(value)}.")
