"""What makes a call of an async function worth another try: functions for retry strategies."""

from __future__ import annotations

from typing import Any


def empty_result_predicate(result: list[Any] | None) -> bool:
    """Return whether a result has no records."""
    return not result


def has_exception_predicate(error: BaseException | None) -> bool:
    """Return whether there was an exception, whatever its type."""
    return error is not None


def exception_type_predicate(error: BaseException, expected_error_type: type[BaseException]) -> bool:
    """Return whether an exception is of a type.

    A strategy takes a predicate of one parameter: ``partial(exception_type_predicate, expected_error_type=OSError)``.
    """
    return isinstance(error, expected_error_type)
