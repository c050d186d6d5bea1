"""Requests to a NiFi, whose answers are bounded, and what a refusal means."""

from __future__ import annotations

import logging
import ssl
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from datastream.errors import ValidationError

from .answers import Refused, decoded

#: The answer's code for a checksum that is not that of what was sent.
BAD_CHECKSUM = 19

_PROTOCOL = {"x-nifi-site-to-site-protocol-version": "1"}
_LONGEST_WORDS = 300
#: Bytes of an answer that is not flow files.
_ANSWER_BYTES = 16 << 20
#: Statuses below 500 of a NiFi that starts, is busy, or whose node is leaving its cluster.
_PASSING = {httpx.codes.REQUEST_TIMEOUT, httpx.codes.CONFLICT, httpx.codes.TOO_MANY_REQUESTS}


class TransactionLost(ConnectionError):
    """A transaction is no longer known: it has ended, or it took too long, or the NiFi was started again."""


class AnswerTooLong(ValidationError):
    """An answer has more bytes than are taken."""


class Answer(NamedTuple):
    """A successful answer, whole."""

    status: int
    headers: httpx.Headers
    content: bytes


class Connection:
    """Connections to a NiFi, for one port. Used by one thread at a time.

    Args:
        port: The port, for messages.
        timeout_s: How long the NiFi may take to connect and to say something.
    """

    def __init__(self, port: str, timeout_s: float) -> None:
        # At INFO it tells each request.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._port = port
        self._client = httpx.Client(headers=_PROTOCOL, timeout=timeout_s, verify=_trusted())

    def request(self, method: str, url: str, most: int = _ANSWER_BYTES, **options: Any) -> Answer:
        """The answer to a request.

        Args:
            method: Such as ``GET``.
            url: What is asked.
            most: How many bytes the answer may have.
            options: Of httpx, such as ``headers``.

        Raises:
            ConnectionError: The NiFi is away, or cannot answer at the moment.
            TransactionLost: There is no such transaction any more.
            AnswerTooLong: The answer has more bytes.
            ValidationError: The NiFi refuses the request.
        """
        try:
            with self._client.stream(method, url, **options) as response:
                answer = Answer(response.status_code, response.headers, self._content(response, most))
        except (httpx.TransportError, httpx.DecodingError) as error:
            words = str(error) or type(error).__name__
            raise ConnectionError(f"NiFi at {host(url)} is away: {words}") from error
        if httpx.codes.is_success(answer.status):
            return answer
        raise self._refusal(answer, url)

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def _content(self, response: httpx.Response, most: int) -> bytes:
        blocks, size = [], 0
        for block in response.iter_bytes():
            size += len(block)
            if size > most:
                raise AnswerTooLong(f"NiFi at {host(str(response.url))}, {self._port} sends more than {most:,} bytes")
            blocks.append(block)
        return b"".join(blocks)

    def _refusal(self, answer: Answer, url: str) -> Exception:
        text, code = _words(answer)
        told = f"NiFi at {host(url)}, {self._port}: status {answer.status}: {text}"
        if answer.status == httpx.codes.NOT_FOUND:
            if "/data-transfer/" not in url:
                return ValidationError(f"{told}; check that the URL {url} is that of a NiFi's API")
            if url.endswith("/transactions"):
                return ValidationError(f"{told}; check the port's name or id, and that it allows remote access")
            return TransactionLost(told)
        if answer.status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            return ValidationError(f"{told}; the policies of the NiFi must let this client use the port")
        if answer.status >= httpx.codes.INTERNAL_SERVER_ERROR or answer.status in _PASSING or code == BAD_CHECKSUM:
            return ConnectionError(told)
        return ValidationError(told)


def host(url: str) -> str:
    """``host:port`` of a URL."""
    return urlsplit(url).netloc


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted, which take some 50 ms to read."""
    return httpx.create_ssl_context()


def _words(answer: Answer) -> tuple[str, int | None]:
    """What a refusal says, and NiFi's own code."""
    with suppress(ValidationError):
        refused = decoded(answer.content, Refused, "")
        if refused.message:
            return refused.message[:_LONGEST_WORDS], refused.response_code
    html = "html" in answer.headers.get("Content-Type", "")
    text = "" if html else answer.content[: 4 * _LONGEST_WORDS].decode(errors="replace").strip()
    return text[:_LONGEST_WORDS] or httpx.codes.get_reason_phrase(answer.status), None
