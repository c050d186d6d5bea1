"""Requests to X: the token, the rules, and the stream."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx

from datastream.errors import ValidationError, cut

from .client_settings import BEARER_TOKEN, CONSUMER_KEY, CONSUMER_SECRET, ClientSettings, is_loopback
from .endpoints import FilteredStreamEndpoint, StreamingEndpoint, StreamRule

_RULES = "/2/tweets/search/stream/rules"
_CONNECT_S = 10.0
_LONGEST_WORDS = 300
_SHOWN_RULES = 5
_REQUEST_TIMEOUT = 408


class ServerTrouble(ConnectionError):
    """X answered that it cannot serve the request now (a status of 500 or more, or too many connections)."""


class LimitReached(ConnectionError):
    """X answered that there were too many requests (429).

    Attributes:
        wait_s: How long until it takes more; None: it did not say.
    """

    def __init__(self, text: str, wait_s: float | None) -> None:
        super().__init__(text)
        self.wait_s = wait_s


class Api:
    """A client of X. Used by one thread.

    Args:
        settings: How it is reached.
        stall_s: How long it may send nothing.
    """

    def __init__(self, settings: ClientSettings, stall_s: float) -> None:
        self._settings = settings
        self._token = settings.bearer_token
        # At INFO it tells each request.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._client = httpx.Client(
            base_url=settings.host,
            headers={"User-Agent": settings.name},
            timeout=httpx.Timeout(stall_s, connect=min(stall_s, _CONNECT_S)),
            trust_env=not is_loopback(settings.host),
            verify=settings.host.startswith("https"),
        )

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def open(self, endpoint: StreamingEndpoint) -> httpx.Response:
        """The answer whose body is the stream; to be closed by the caller.

        Raises:
            ConnectionError: X cannot serve it now.
            httpx.TransportError: It does not answer.
            ValidationError: It refuses the request.
        """
        parameters = dict(endpoint.parameters)
        if endpoint.backfill_minutes:
            parameters["backfill_minutes"] = str(endpoint.backfill_minutes)
        request = self._client.build_request("GET", endpoint.path, params=parameters, headers=self._authorization())
        response = self._client.send(request, stream=True)
        if response.status_code != httpx.codes.OK:
            try:
                response.read()
            finally:
                response.close()
            raise self._refusal(response, f"the stream {endpoint.path}")
        return response

    def set_rules(self, endpoint: FilteredStreamEndpoint) -> None:
        """Have the app's rules be those of an endpoint. Raises like `open`."""
        if endpoint.rules is None:
            return
        wanted = set(endpoint.rules)
        there = dict(self._rules())
        others = {id: rule for id, rule in there.items() if rule not in wanted}
        if others and not endpoint.replace_rules:
            shown = ", ".join(repr(rule.value) for rule in list(others.values())[:_SHOWN_RULES])
            raise ValidationError(
                f"the app has {len(others)} other rules at {self._settings.host}, whose posts would come too: {shown}; "
                "use replace_rules=True to delete them, or rules=None to take the app's rules as they are"
            )
        if others:
            self._post_rules({"delete": {"ids": list(others)}})
        missing = [rule for rule in endpoint.rules if rule not in there.values()]
        if missing:
            self._post_rules({"add": [rule._asdict() if rule.tag else {"value": rule.value} for rule in missing]})

    def _rules(self) -> Iterator[tuple[str, StreamRule]]:
        """The app's rules with their ids."""
        parameters: dict[str, str] = {}
        while True:
            answer = self._ask("GET", _RULES, params=parameters)
            for rule in answer.get("data") or ():
                yield str(rule["id"]), StreamRule(rule["value"], rule.get("tag") or None)
            following = (answer.get("meta") or {}).get("next_token")
            if not following:
                return
            parameters = {"pagination_token": following}

    def _post_rules(self, change: dict[str, Any]) -> None:
        answer = self._ask("POST", _RULES, json=change)
        errors = [each for each in answer.get("errors") or () if each.get("title") != "DuplicateRule"]
        if errors:
            told = "; ".join(f"{cut(each.get('value'))}: {_words_of(each)}" for each in errors[:_SHOWN_RULES])
            raise ValidationError(f"X at {self._settings.host} refuses rules: {self._plain(told)}")

    def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        response = self._client.request(method, path, headers=self._authorization(), **options)
        if not response.is_success:
            raise self._refusal(response, path)
        return self._json(response)

    def _authorization(self) -> dict[str, str]:
        if self._token is None:
            self._token = self._new_token()
        return {"Authorization": f"Bearer {self._token}"}

    def _new_token(self) -> str:
        """A token of the app, for its key and secret."""
        key, secret = quote(self._settings.consumer_key or "", ""), quote(self._settings.consumer_secret or "", "")
        response = self._client.post(
            "/oauth2/token", data={"grant_type": "client_credentials"}, auth=httpx.BasicAuth(key, secret)
        )
        if not response.is_success:
            raise self._refusal(response, "/oauth2/token")
        token = self._json(response).get("access_token")
        if not isinstance(token, str):
            raise ServerTrouble(f"X at {self._settings.host} answered /oauth2/token without a token")
        return token

    def _json(self, response: httpx.Response) -> dict[str, Any]:
        try:
            found = response.json()
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ServerTrouble(f"X at {self._settings.host} answered {response.request.url.path} without JSON")
        return found

    def _refusal(self, response: httpx.Response, what: str) -> Exception:
        """The error for an answer that is none."""
        status, words = response.status_code, self._plain(_words(response))
        text = f"X at {self._settings.host} refuses {what} with status {status}: {words}"
        if status == httpx.codes.TOO_MANY_REQUESTS:
            if "TooManyConnections" in response.text:  # of a job that was killed, say: it will end
                return ServerTrouble(text)
            return LimitReached(text, _wait_s(response))
        if status >= httpx.codes.INTERNAL_SERVER_ERROR or status == _REQUEST_TIMEOUT:
            return ServerTrouble(text)
        if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            hint = f"check {BEARER_TOKEN!r}, or {CONSUMER_KEY!r} and {CONSUMER_SECRET!r}, and what the app's plan has"
            return ValidationError(f"{text}; {hint}")
        return ValidationError(text)

    def _plain(self, text: str) -> str:
        """A text of the server's without secrets, whatever it repeats."""
        settings = self._settings
        for secret in (self._token, settings.bearer_token, settings.consumer_key, settings.consumer_secret):
            if secret:
                text = text.replace(secret, "<secret>")
        return text


def _words(response: httpx.Response) -> str:
    """What an answer says."""
    try:
        found = response.json()
    except ValueError:
        found = None
    if isinstance(found, dict):
        each = [problem for problem in found.get("errors") or () if isinstance(problem, dict)]
        told = "; ".join(filter(None, [_words_of(found), *map(_words_of, each)]))
        if told:
            return told[:_LONGEST_WORDS]
    html = "html" in response.headers.get("Content-Type", "")
    return ("" if html else response.text.strip()[:_LONGEST_WORDS]) or response.reason_phrase


def _words_of(problem: dict[str, Any]) -> str:
    parts = [problem.get("title"), problem.get("detail"), problem.get("message"), *(problem.get("details") or ())]
    return ": ".join(dict.fromkeys(part for part in parts if isinstance(part, str)))


def _wait_s(response: httpx.Response) -> float | None:
    """How long until the limit begins anew: `x-rate-limit-reset` is in seconds since 1970."""
    try:
        return max(int(response.headers["x-rate-limit-reset"]) - time.time(), 0) + 1
    except (KeyError, ValueError):
        return None
