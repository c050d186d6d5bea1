"""What went wrong in a job, as data: for whoever watches it from outside."""

from __future__ import annotations

from typing import Any

from datastream.config.settings import Restart
from datastream.driver.failures import error_text, failure_text, without_secrets
from datastream.errors import FunctionError

from .wall_clock import now_ms

_MESSAGE_LIMIT, _TRACE_LIMIT = 4_000, 20_000


def of_restart(restart: Restart) -> dict[str, Any]:
    """The failure that led to a restart; one that was tolerated is of the epoch only."""
    return described(restart.error, "restart" if restart.counted else "epoch", restart.number)


def described(error: BaseException, kind: str, number: int) -> dict[str, Any]:
    """An error as data.

    Args:
        error: What was raised.
        kind: ``restart``, ``epoch`` or ``failed``.
        number: Restarts so far.

    Returns:
        Its type, message and trace; of an error of a user's function also the operator's name, the function, file and
        line, and the record as text.
    """
    found: dict[str, Any] = {
        "time_ms": now_ms(),
        "kind": kind,
        "type": type(error).__name__,
        "message": error_text(error),
        "trace": failure_text(error),
        "operator": None,
        "function": None,
        "file": None,
        "line": None,
        "value": None,
        "number": number,
    }
    if isinstance(error, FunctionError):
        failure = error.failure
        type_name, _, message = failure.error.partition(": ")
        file, line = _place(failure.location)
        found |= {
            "type": type_name,
            "message": without_secrets(message if failure.hint is None else f"{message}\n{failure.hint}"),
            "trace": without_secrets(failure.trace),
            "operator": failure.operator,
            "function": failure.function,
            "file": file,
            "line": line,
            "value": failure.record,
        }
    found["message"] = _shortened(found["message"], _MESSAGE_LIMIT)
    found["trace"] = _shortened(found["trace"], _TRACE_LIMIT)
    return found


def _place(location: str) -> tuple[str | None, int | None]:
    """File and line of ``file:line``."""
    file, _, line = location.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() else (location or None, None)


def _shortened(text: str, limit: int) -> str:
    """A text without its middle, if it is too long: its ends tell the most."""
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]}\n[...]\n{text[-half:]}"
