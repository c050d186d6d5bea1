"""Requests whose answers are bounded, in size and time, and what their statuses mean."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import httpx

from datastream.errors import ValidationError

from .connection import HttpConnection, shown

_MOST_REDIRECTS = 5
_LONGEST_WORDS = 300
#: Bytes of an answer that is read for its words alone.
_WORDS_BYTES = 64 << 10
#: A server that wants a longer pause gets this one.
_LONGEST_WAIT_S = 3600.0
#: The answer to a request for what has not changed.
NOT_MODIFIED = 304
_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY = 408, 425, 429


class HttpTrouble(ConnectionError):
    """The server is away, or cannot answer at the moment.

    Attributes:
        wait_s: The pause that it asks for (``Retry-After``), in s; None: it asks for none.
    """

    def __init__(self, text: str, wait_s: float | None = None) -> None:
        super().__init__(text)
        self.wait_s = wait_s


class Answer(NamedTuple):
    """An answer, whole.

    Attributes:
        status: Below 500.
        headers: Its headers.
        content: Its body.
        url: Of what was answered, after redirects.
    """

    status: int
    headers: httpx.Headers
    content: bytes
    url: str


class HttpClient:
    """Connections to the server of a URL. Threads may share it.

    Args:
        connection: How it is reached.
        stall_ms: How long the server may say nothing; None: as long as an answer may take.
    """

    def __init__(self, connection: HttpConnection, stall_ms: int | None = None) -> None:
        # At INFO it logs each URL, and a URL may hold a token.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._connection = connection
        self._secrets = connection.secrets()
        self._limit_s = connection.timeout_ms / 1000
        secure = connection.url.startswith("https")
        tls = connection.tls.context(connection.address) if connection.tls is not None else True
        auth = (connection.user_name, connection.password or "") if connection.user_name is not None else None
        self._client = httpx.Client(
            headers={"User-Agent": "datastream", **connection.headers},
            auth=auth,
            timeout=httpx.Timeout((stall_ms or connection.timeout_ms) / 1000, connect=self._limit_s),
            verify=tls if secure else False,
            trust_env=not connection.is_loopback,
            follow_redirects=False,
        )

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def refusal(self, response: httpx.Response) -> ValidationError:
        """The error for an answer to a GET that is not what was asked for; reads it."""
        content = self._content(response, _WORDS_BYTES) or b""
        answer = Answer(response.status_code, response.headers, content, str(response.url))
        told = f"{shown(answer.url)} refuses a GET with status {answer.status}: {self.words(answer)}"
        if answer.status in (401, 403, 407):
            told += "; check the headers, the user and the password of the HttpConnection"
        return ValidationError(told)

    def get(self, url: str, headers: Mapping[str, str], more: Collection[int] = ()) -> Answer:
        """The answer to a GET; redirects within the server are followed.

        Args:
            url: What is asked for.
            headers: In addition to those of the connection.
            more: Statuses that are no refusal.

        Raises:
            HttpTrouble: The server is away, or cannot answer at the moment.
            ValidationError: It refuses, it leads to another server, or its answer is too large.
        """
        with self.opened(url, headers) as response:
            status = response.status_code
            if not httpx.codes.is_success(status) and status != NOT_MODIFIED and status not in more:
                raise self.refusal(response)
            content = self._content(response, self._connection.max_body_bytes)
            if content is None:
                raise ValidationError(
                    f"{shown(url)} answers with more than {self._connection.max_body_bytes:,} bytes; ask for smaller "
                    "pages, or set max_body_bytes of the HttpConnection"
                )
            return Answer(response.status_code, response.headers, content, str(response.url))

    def send(self, method: str, url: str, content: bytes, headers: Mapping[str, str]) -> Answer:
        """The answer to a request with a body, which holds the beginning of its content.

        Raises:
            HttpTrouble: The server is away, or cannot answer at the moment.
        """
        with self._stream(method, url, headers, content) as response:
            begin = self._content(response, _WORDS_BYTES) or b""
            return Answer(response.status_code, response.headers, begin, url)

    @contextmanager
    def opened(self, url: str, headers: Mapping[str, Any]) -> Iterator[httpx.Response]:
        """The answer to a GET whose body is not read yet. Raises like `get`."""
        mine = origin(url)
        for _ in range(_MOST_REDIRECTS + 1):
            with self._stream("GET", url, headers, None) as response:
                if not response.has_redirect_location:
                    yield response
                    return
                target = urljoin(url, response.headers["Location"])
                if origin(target) != mine:
                    raise ValidationError(
                        f"{shown(url)} redirects to another server, {shown(target)}; give that URL if it is to be "
                        "trusted with the headers of the requests"
                    )
                url = target
        raise ValidationError(f"{shown(url)} redirects more than {_MOST_REDIRECTS} times")

    def words(self, answer: Answer) -> str:
        """What an answer says about a request that it refuses, without secrets."""
        html = "html" in answer.headers.get("Content-Type", "")
        text = "" if html else answer.content[: 4 * _LONGEST_WORDS].decode(errors="replace").strip()
        words = self.plain(text)[:_LONGEST_WORDS]
        return words or httpx.codes.get_reason_phrase(answer.status)

    def plain(self, text: str) -> str:
        """A text of the server's without secrets, whatever it repeats."""
        for secret in self._secrets:
            text = text.replace(secret, "<secret>")
        return text

    @contextmanager
    def _stream(
        self, method: str, url: str, headers: Mapping[str, Any], content: bytes | None
    ) -> Iterator[httpx.Response]:
        try:
            with self._client.stream(method, url, headers=dict(headers), content=content) as response:
                self._check(response, url)
                yield response
        except (httpx.TransportError, httpx.DecodingError) as error:
            words = self.plain(str(error)) or type(error).__name__
            raise HttpTrouble(f"{shown(url)} is away: {words}") from error
        except httpx.InvalidURL as error:
            raise ValidationError(f"{shown(url)}: the URL cannot be used: {error}") from error

    def _check(self, response: httpx.Response, url: str) -> None:
        """Raise if the server cannot answer now."""
        status = response.status_code
        if status < httpx.codes.INTERNAL_SERVER_ERROR and status not in (_REQUEST_TIMEOUT, _TOO_EARLY, _TOO_MANY):
            return
        content = self._content(response, _WORDS_BYTES) or b""
        answer = Answer(status, response.headers, content, url)
        raise HttpTrouble(f"{shown(url)} answers with status {status}: {self.words(answer)}", wait_s(response.headers))

    def _content(self, response: httpx.Response, most: int) -> bytes | None:
        """The body; None: it has more bytes."""
        until, blocks, size = time.monotonic() + self._limit_s, [], 0
        for block in response.iter_bytes(64 << 10):
            size += len(block)
            if size > most:
                return None
            if time.monotonic() > until:
                raise HttpTrouble(f"{shown(str(response.url))} has not answered in full after {self._limit_s:g} s")
            blocks.append(block)
        return b"".join(blocks)


def wait_s(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """The pause that ``Retry-After`` asks for, in s, at most an hour; None: none, or one that cannot be read."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _LONGEST_WAIT_S)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(moment.timestamp() - (time.time() if now is None else now), 0.0), _LONGEST_WAIT_S)


def origin(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port of a URL: what may be trusted with the headers."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
