"""A result that comes later."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class CompletableFuture(Generic[T]):
    """A result that comes later, from another thread or through `set_result`.

    When several threads set a result, set an exception or cancel, one of them succeeds.

    Args:
        future: The future to wrap; a new one, to be completed by hand, when left out.
    """

    def __init__(self, future: Future[T] | None = None) -> None:
        self._future: Future[T] = Future() if future is None else future

    @staticmethod
    def completed(value: Any) -> CompletableFuture[Any]:
        """Return a future that already has its result."""
        future: CompletableFuture[Any] = CompletableFuture()
        future.set_result(value)
        return future

    @staticmethod
    def failed(error: BaseException) -> CompletableFuture[Any]:
        """Return a future that already has its exception."""
        future: CompletableFuture[Any] = CompletableFuture()
        future.set_exception(error)
        return future

    def cancel(self) -> bool:
        """Cancel, unless work has begun or a result is there. Return whether it is cancelled now."""
        return self._future.cancel()

    def cancelled(self) -> bool:
        """Whether it was cancelled before it had a result."""
        return self._future.cancelled()

    def done(self) -> bool:
        """Whether it has a result or an exception, or was cancelled."""
        return self._future.done()

    def result(self, timeout: float | None = None) -> T:
        """Wait for the result and return it.

        Args:
            timeout: How long to wait, in seconds; None waits for ever.

        Raises:
            TimeoutError: The time is over.
            concurrent.futures.CancelledError: The future was cancelled.
            BaseException: The future's exception, if it has one.
        """
        return self._future.result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the end and return the exception, or None after success.

        Args:
            timeout: How long to wait, in seconds; None waits for ever.

        Raises:
            TimeoutError: The time is over.
            concurrent.futures.CancelledError: The future was cancelled.
        """
        return self._future.exception(timeout)

    def set_result(self, value: T) -> bool:
        """Set the result. Return false when the future had already ended."""
        try:
            self._future.set_result(value)
        except InvalidStateError:
            return False
        return True

    def set_exception(self, error: BaseException) -> bool:
        """Set the exception. Return false when the future had already ended."""
        try:
            self._future.set_exception(error)
        except InvalidStateError:
            return False
        return True

    def add_done_callback(self, callback: Callable[[CompletableFuture[T]], object]) -> None:
        """Call `callback` with this future when it ends; at once if it has."""
        self._future.add_done_callback(lambda _: callback(self))

    def __repr__(self) -> str:
        if self.cancelled():
            state = "cancelled"
        elif not self.done():
            state = "pending"
        else:
            state = "failed" if self._future.exception() else "completed"
        return f"CompletableFuture<{state}>"
