"""What makes a call of an async function worth another try: functions for retry strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def empty_result_predicate(result: list[Any] | None) -> bool:
    """Return whether a result has no records."""
    return not result


def has_exception_predicate(exception: BaseException | None) -> bool:
    """Return whether there was an exception, whatever its type."""
    return exception is not None


def exception_type_predicate(exception_type: type[BaseException]) -> Callable[[BaseException], bool]:
    """Return a predicate that says whether an exception is of a type."""
    return _IsOfType(exception_type)


class _IsOfType:
    """A class and not a closure, so that it can be pickled by name."""

    def __init__(self, exception_type: type[BaseException]) -> None:
        self.exception_type = exception_type

    def __call__(self, exception: BaseException) -> bool:
        return isinstance(exception, self.exception_type)
