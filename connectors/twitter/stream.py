"""Follows a stream in a thread: connects, waits and connects again as X asks its clients to."""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from logging import Logger

import httpx

from datastream.errors import DataStreamError

from .api import Api, LimitReached, ServerTrouble
from .client_settings import ClientSettings
from .endpoints import FilteredStreamEndpoint, StreamingEndpoint
from .posts import Post, RecentIds, lines_of, post_of
from .reconnects import Pauses, Reconnects

_CLOSE_S = 2.0
#: No warning is worth less.
_SMALL_GAP_S = 1.0


class PostStream:
    """The posts of a stream, which wait until they are taken.

    Args:
        settings: How X is reached.
        endpoint: The stream.
        reconnects: How long it waits.
        recent: The posts that have come before.
        logger: For what people should read.
    """

    def __init__(
        self,
        settings: ClientSettings,
        endpoint: StreamingEndpoint,
        reconnects: Reconnects,
        recent: RecentIds,
        logger: Logger,
    ) -> None:
        self._settings, self._endpoint, self._reconnects = settings, endpoint, reconnects
        self._recent, self._logger = recent, logger
        self._waiting: deque[Post] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._error: Exception | None = None
        self._response: httpx.Response | None = None
        self._pauses = Pauses(reconnects)
        self._alive_at: float | None = None  # when the last line came
        self._full_at: float | None = None  # since then the connection was not read all the time
        self._began = time.monotonic()
        self._ready = False
        self._thread = threading.Thread(target=self._follow, name="twitter stream", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many posts wait."""
        return len(self._waiting)

    def take(self, most: int) -> list[Post]:
        """At most this number of the posts that wait.

        Raises:
            ConnectionError: None wait, and X was away for too long.
            ValidationError: None wait, and X refuses the stream.
        """
        with self._changed:
            taken = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
            self._bytes -= sum(len(post.text) for post in taken)
            self._changed.notify_all()
        if not taken and self._error is not None:
            raise self._error
        return taken

    def close(self) -> None:
        """End the connection."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()
        response = self._response
        if response is not None:
            with suppress(Exception):  # it may end by itself meanwhile
                response.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        if threading.current_thread() is not self._thread:
            self._thread.join(_CLOSE_S)

    def _follow(self) -> None:
        api = Api(self._settings, self._reconnects.stall_ms / 1000)
        try:
            while not self._closed.is_set():
                problem, pause_s = self._read(api)
                if self._closed.is_set():
                    return
                self._logger.warning("%s; the stream is connected again in %.1f s", problem, pause_s)
                self._closed.wait(pause_s)
        except Exception as error:
            if not self._closed.is_set():
                self._error = error
        finally:
            with suppress(Exception):
                api.close()

    def _read(self, api: Api) -> tuple[str, float]:
        """Read until the connection ends: why it did, and how long to wait before the next one.

        Raises:
            ConnectionError: X is away for too long.
            ValidationError: It refuses the stream.
        """
        where = f"X at {self._settings.host}"
        try:
            if not self._ready:
                if isinstance(self._endpoint, FilteredStreamEndpoint):
                    api.set_rules(self._endpoint)
                self._ready = True
            self._receive(api)
            problem, pause_s = f"{where} has ended the stream", self._pauses.after_broken_connection_s()
        except DataStreamError:
            raise
        except LimitReached as limit:  # waiting was asked for, so it is no reason to give up
            return str(limit), limit.wait_s if limit.wait_s is not None else self._pauses.after_limit_s()
        except ServerTrouble as trouble:
            problem, pause_s = str(trouble), self._pauses.after_server_error_s()
        except httpx.ReadTimeout:
            seconds = self._reconnects.stall_ms / 1000
            problem = f"{where} has sent nothing for {seconds:g} s, no empty line either"
            pause_s = self._pauses.after_broken_connection_s()
        except (httpx.TransportError, httpx.DecodingError, OSError) as error:
            problem = f"{where} is away: {type(error).__name__}: {error}"
            pause_s = self._pauses.after_broken_connection_s()
        self._lose_patience(problem)
        return problem, pause_s

    def _receive(self, api: Api) -> None:
        response = api.open(self._endpoint)
        self._response = response
        try:
            if self._closed.is_set():  # by one who did not find the response
                return
            self._tell_of_gap()
            self._logger.info("connected to the stream %s at %s", self._endpoint.path, self._settings.host)
            for line in lines_of(response.iter_bytes()):
                if self._closed.is_set():
                    return
                if line:
                    post = post_of(line)
                    if post.id is None or self._recent.is_new(post.id):
                        self._keep(post)
                self._alive_at = time.monotonic()
                self._pauses.begin_anew()
        finally:
            self._response = None
            response.close()

    def _keep(self, post: Post) -> None:
        """Let a post wait, as soon as there is room."""
        most = self._settings.buffer_bytes
        with self._changed:
            if self._waiting and self._bytes >= most:
                self._full_at = self._full_at or time.monotonic()
                self._changed.wait_for(lambda: not self._waiting or self._bytes < most or self._closed.is_set())
            self._waiting.append(post)
            self._bytes += len(post.text)

    def _tell_of_gap(self) -> None:
        """Warn if posts are lost: those that are older than what X sends again."""
        since = self._alive_at if self._full_at is None else self._full_at
        self._full_at = None
        if since is None:
            return
        gap_s, filled_s = time.monotonic() - since, 60 * self._endpoint.backfill_minutes
        if gap_s > max(filled_s, _SMALL_GAP_S):
            self._logger.warning(
                "the stream was away for %.0f s, and backfill_minutes of its endpoint is %d: posts may be lost",
                gap_s,
                self._endpoint.backfill_minutes,
            )

    def _lose_patience(self, problem: str) -> None:
        first = self._alive_at is None
        limit_s = (self._reconnects.first_patience_ms if first else self._reconnects.patience_ms) / 1000
        away_s = time.monotonic() - (self._alive_at or self._began)
        if away_s > limit_s:
            raise ConnectionError(f"{problem}; no connection came about for {away_s:.0f} s")


def ids_of(notes: Iterable[list[Post]]) -> Iterable[str]:
    """The ids of stored posts."""
    return (post.id for note in notes for post in note if post.id is not None)
