"""The HTTP client of drivers: what the runner's endpoints take and give."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import httpx

from datastream.errors import DataStreamError

from .bounded_http import BoundedClient, TooMuch
from .driver_answers import (
    PLAN_BYTES,
    SHORT_BYTES,
    SNAPSHOT_BYTES,
    WrongAnswer,
    checked_plan,
    checked_snapshot,
    read_object,
)

#: Until a whole answer has come.
_PROMPT_S = 8.0
_ERROR_CHARS = 4000
#: Answers are read one at a time: what they take is free again before the next.
_READING = threading.Lock()
#: A savepoint may take hours; its driver is not waited for without end.
_SAVEPOINT_S = 6 * 3600.0


class DriverError(DataStreamError):
    """A driver does not answer, or refuses."""


class DriverIsWrong(DriverError):
    """A driver returns invalid answers; it will not get better."""


class DriverClient:
    """Asks drivers."""

    def __init__(self) -> None:
        self._client = BoundedClient()

    def snapshot(self, url: str, token: str) -> dict[str, Any]:
        """How the job is."""
        return self._answer("GET", url + "/job", token, None, _PROMPT_S, SNAPSHOT_BYTES, checked_snapshot)

    def plan(self, url: str, token: str) -> dict[str, Any]:
        """The job's plan."""
        return self._answer("GET", url + "/job/plan", token, None, _PROMPT_S, PLAN_BYTES, checked_plan)

    def healthy(self, url: str) -> bool:
        """Whether the driver says that its job makes progress; also where it says nothing."""
        try:
            status, _ = self._client.ask("GET", url + "/healthz", _PROMPT_S, SHORT_BYTES)
            return status != httpx.codes.SERVICE_UNAVAILABLE
        except (httpx.HTTPError, TimeoutError, TooMuch):
            return True

    def cancel(self, url: str, token: str) -> None:
        """Let the job end; does not wait."""
        self._answer("POST", url + "/job/cancel", token, {}, _PROMPT_S)

    def savepoint(self, url: str, token: str, directory: str | None) -> str:
        """Take a savepoint; where it is."""
        return self._taken(url + "/job/savepoint", token, {"directory": directory})

    def stop(self, url: str, token: str, directory: str | None, drain: bool) -> str:
        """End the job with a savepoint; where it is."""
        return self._taken(url + "/job/stop", token, {"directory": directory, "drain": drain})

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _taken(self, url: str, token: str, body: dict[str, Any]) -> str:
        location = self._answer("POST", url, token, body, _SAVEPOINT_S).get("location")
        if not isinstance(location, str):
            raise DriverIsWrong("the job's driver took a savepoint, and does not report where it is")
        return location

    def _answer(
        self,
        method: str,
        url: str,
        token: str,
        body: dict[str, Any] | None,
        deadline_s: float,
        most_bytes: int = SHORT_BYTES,
        check: Callable[[dict[str, Any]], dict[str, Any]] = dict,
    ) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"}
        try:
            status, text = self._client.ask(method, url, deadline_s, most_bytes, headers, body)
            with _READING:
                found = read_object(text)
                if status < httpx.codes.BAD_REQUEST:
                    return check(found)
        except (httpx.HTTPError, TimeoutError, CancelledError) as error:
            raise DriverError(f"the job's driver does not answer: {type(error).__name__}") from error
        except (TooMuch, WrongAnswer) as error:
            raise DriverIsWrong(f"the job's driver gave an answer that cannot be read: {error}") from error
        raise DriverError(str(found.get("error") or f"the job's driver answered with status {status}")[:_ERROR_CHARS])
