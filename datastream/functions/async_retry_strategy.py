"""When an async function is called again for a record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class AsyncRetryPredicate(ABC):
    """What of a call makes it worth another try."""

    @abstractmethod
    def result_predicate(self) -> Callable[[list[Any]], bool] | None:
        """Return the function that says of a result whether to try again; None takes every result."""

    @abstractmethod
    def exception_predicate(self) -> Callable[[Exception], bool] | None:
        """Return the function that says of an exception whether to try again; None never does."""


class AsyncRetryStrategy(ABC):
    """How often, when and after what an async function is called again for a record.

    One strategy serves all records, so it remembers nothing of a record.
    """

    @abstractmethod
    def can_retry(self, current_attempts: int) -> bool:
        """Return whether another try is allowed after so many, of which the first call is number 1."""

    @abstractmethod
    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return how long to wait before the next try, in ms, after so many."""

    @abstractmethod
    def get_retry_predicate(self) -> AsyncRetryPredicate:
        """Return what makes a call worth another try."""

    @staticmethod
    def no_restart() -> AsyncRetryStrategy:
        """Return the strategy that never tries again."""
        from datastream.functions.async_retry_strategies import NoRetryStrategy

        return NoRetryStrategy()

    @staticmethod
    def fixed_delay(
        max_attempts: int,
        backoff_time_millis: int,
        result_predicate: Callable[[list[Any]], bool] | None = None,
        exception_predicate: Callable[[Exception], bool] | None = None,
    ) -> AsyncRetryStrategy:
        """Return a strategy that waits the same time before each try.

        Args:
            max_attempts: How many more times a record is tried after the first, above 0.
            backoff_time_millis: The time in ms, above 0.
            result_predicate: Says of a result whether to try again; None takes every result.
            exception_predicate: Says of an exception whether to try again; None never does.

        Raises:
            ValidationError: A number is out of range.
        """
        from datastream.functions.async_retry_strategies import FixedDelayRetryStrategy

        return FixedDelayRetryStrategy(max_attempts, backoff_time_millis, result_predicate, exception_predicate)

    @staticmethod
    def exponential_backoff(
        max_attempts: int,
        initial_delay: int,
        max_retry_delay: int,
        multiplier: float,
        result_predicate: Callable[[list[Any]], bool] | None = None,
        exception_predicate: Callable[[Exception], bool] | None = None,
    ) -> AsyncRetryStrategy:
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
        from datastream.functions.async_retry_strategies import ExponentialBackoffDelayRetryStrategy

        return ExponentialBackoffDelayRetryStrategy(
            max_attempts, initial_delay, max_retry_delay, multiplier, result_predicate, exception_predicate
        )
