"""The HTTP client of drivers: what the runner's endpoints take and give."""

from __future__ import annotations

import json
from typing import Any

import httpx

from datastream.errors import DataStreamError

from .log_lines import clean

_PROMPT_S = 5.0
#: A savepoint may take hours; its driver is not waited for without end.
_SAVEPOINT_S = 6 * 3600.0


class DriverError(DataStreamError):
    """A driver does not answer, or refuses."""


class DriverClient:
    """Asks drivers."""

    def __init__(self) -> None:
        # Drivers are on this machine or network: no proxy stands between.
        self._client = httpx.Client(
            timeout=_PROMPT_S, trust_env=False, limits=httpx.Limits(max_connections=64, keepalive_expiry=30)
        )

    def snapshot(self, url: str, token: str) -> dict[str, Any]:
        """How the job is."""
        return self._get(url + "/job", token)

    def plan(self, url: str, token: str) -> dict[str, Any]:
        """The job's plan."""
        return self._get(url + "/job/plan", token)

    def healthy(self, url: str) -> bool:
        """Whether the driver says that its job makes progress; also where it says nothing."""
        try:
            return self._client.get(url + "/healthz").status_code != httpx.codes.SERVICE_UNAVAILABLE
        except httpx.HTTPError:
            return True

    def cancel(self, url: str, token: str) -> None:
        """Let the job end; does not wait."""
        self._post(url + "/job/cancel", token, {}, _PROMPT_S)

    def savepoint(self, url: str, token: str, directory: str | None) -> str:
        """Take a savepoint; where it is."""
        return str(self._post(url + "/job/savepoint", token, {"directory": directory}, _SAVEPOINT_S)["location"])

    def stop(self, url: str, token: str, directory: str | None, drain: bool) -> str:
        """End the job with a savepoint; where it is."""
        body = {"directory": directory, "drain": drain}
        return str(self._post(url + "/job/stop", token, body, _SAVEPOINT_S)["location"])

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _get(self, url: str, token: str) -> dict[str, Any]:
        return self._answer("GET", url, token, None, _PROMPT_S)

    def _post(self, url: str, token: str, body: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        return self._answer("POST", url, token, body, timeout_s)

    def _answer(
        self, method: str, url: str, token: str, body: dict[str, Any] | None, timeout_s: float
    ) -> dict[str, Any]:
        timeout = httpx.Timeout(_PROMPT_S, read=timeout_s)
        headers = {"Authorization": f"Bearer {token}"}
        try:
            response = self._client.request(method, url, json=body, headers=headers, timeout=timeout)
            # The browser's JSON has no NaN.
            found = json.loads(clean(response.text), parse_constant=lambda _: None)
        except (httpx.HTTPError, ValueError, RecursionError) as error:
            raise DriverError(f"the job's driver does not answer: {type(error).__name__}") from error
        if not isinstance(found, dict):
            raise DriverError("the job's driver gave an answer of another form")
        if response.is_error:
            raise DriverError(
                str(found.get("error") or f"the job's driver answered with status {response.status_code}")
            )
        return found
