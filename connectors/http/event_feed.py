"""Follows a stream of server-sent events."""

from __future__ import annotations

import socket
from collections import deque
from contextlib import suppress
from logging import Logger
from typing import Any

import httpx
import msgspec

from datastream.errors import ValidationError

from .client import HttpClient, HttpTrouble
from .event import EventParser
from .feed import Feed
from .page import Page, State
from .settings import Following

_BUFFER = 16 << 20
_NO_CONTENT = 204
_TYPE = "text/event-stream"
_LONGEST_RETRY_S = 3600.0


class EventFeed(Feed):
    """Follows a stream: connects, and connects again after the last event that it has received.

    Its state has ``id``, the id of the last event, each byte of it as a character.

    Args:
        following: The settings.
        state: Where it begins.
        logger: For what people should read.
    """

    takes_all = True

    def __init__(self, following: Following, state: State, logger: Logger) -> None:
        super().__init__("http events", _BUFFER, following.backoff, logger)
        self._following = following
        self._id = state.get("id", "").encode("latin-1")
        self._retry_s = following.retry_ms / 1000
        self._response: httpx.Response | None = None

    @property
    def waiting(self) -> int:
        return len(self._items)

    def _page(self, items: deque[tuple[Any, int]], most: int) -> tuple[Page, int] | None:
        if not items:
            return None
        taken = [items.popleft() for _ in range(min(most, len(items)))]
        last = taken[-1][0]
        records = [msgspec.msgpack.encode(event) for event, _ in taken]
        return Page(records, {"id": last.id.decode("latin-1")} if last.id else {}), sum(size for _, size in taken)

    def _run(self) -> None:
        client = HttpClient(self._following.connection, self._following.stall_ms)
        try:
            while not self._closed.is_set():
                try:
                    self._receive(client)
                except HttpTrouble as trouble:
                    if not self._closed.is_set():
                        self._wait_after(trouble, self._retry_s)
                else:
                    self._logger.info("%s has ended the stream", self._following.connection)
                    self._closed.wait(self._retry_s)
        finally:
            client.close()

    def _receive(self, client: HttpClient) -> None:
        """Receive until the server ends the stream.

        Raises:
            HttpTrouble: The connection broke, or none came about.
            ValidationError: The server refuses the request, or sends something else.
        """
        connection, wanted = self._following.connection, self._following.events
        headers: dict[str, Any] = {"Accept": _TYPE, "Cache-Control": "no-store"}
        if self._id:
            headers["Last-Event-ID"] = self._id
        with client.opened(connection.url, headers) as response:
            self._check(client, response)
            self._response = response
            try:
                if self._closed.is_set():  # by one who did not find the response
                    return
                self._works()
                parser = EventParser(self._id, connection.max_body_bytes)
                for chunk in response.iter_bytes():
                    for event in parser.events(chunk):
                        self._id = event.id
                        if wanted is None or event.event.decode(errors="replace") in wanted:
                            self._put(event, len(event.data))
                    if parser.retry_ms is not None:
                        self._retry_s = min(parser.retry_ms / 1000, _LONGEST_RETRY_S)
                    if self._closed.is_set():
                        return
            finally:
                self._response = None

    def _check(self, client: HttpClient, response: httpx.Response) -> None:
        connection, status = self._following.connection, response.status_code
        if status == _NO_CONTENT:
            raise ValidationError(f"{connection} answers with status 204, by which it asks not to connect again")
        if not httpx.codes.is_success(status):
            raise client.refusal(response)
        kind = response.headers.get("Content-Type", "")
        if kind.partition(";")[0].strip().lower() != _TYPE:
            raise ValidationError(f"{connection} answers with {kind or 'no type'}, expected {_TYPE}")

    def _interrupt(self) -> None:
        response = self._response
        if response is not None:
            with suppress(Exception):  # it may end by itself meanwhile
                response.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)
