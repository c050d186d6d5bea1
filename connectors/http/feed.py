"""What brings pages, in a thread beside the driver."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from logging import Logger
from typing import Any, ClassVar

from datastream.io import Backoff

from .client import HttpTrouble
from .page import Page

_CLOSE_S = 2.0


class Feed(ABC):
    """What brings pages. What it has received waits in memory until it is taken; above a size it receives no more.

    Args:
        name: Of its thread.
        most_bytes: How much may wait.
        backoff: Tries, and pauses between them, after which it gives up.
        logger: For what people should read.

    Attributes:
        takes_all: A page holds all that waits, as far as it may.
    """

    takes_all: ClassVar[bool] = False

    def __init__(self, name: str, most_bytes: int, backoff: Backoff, logger: Logger) -> None:
        self._backoff, self._logger = backoff, logger
        self._most_bytes = most_bytes
        self._items: deque[tuple[Any, int]] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._error: Exception | None = None
        self._pauses: Iterator[float] = iter(())
        self._thread = threading.Thread(target=self._follow, name=name, daemon=True)

    @property
    @abstractmethod
    def waiting(self) -> int:
        """How many records wait."""

    @abstractmethod
    def _run(self) -> None:
        """Receive until the feed is closed, or has ended."""

    @abstractmethod
    def _page(self, items: deque[tuple[Any, int]], most: int) -> tuple[Page, int] | None:
        """Take a page of those that wait, and its size; None: there is none. Called with the lock."""

    def start(self) -> None:
        """Begin to receive."""
        self._thread.start()

    def take(self, most: int) -> Page | None:
        """A page of those that wait.

        Args:
            most: About how many records it should hold at most; what was received as a whole may be larger.

        Raises:
            ConnectionError: None waits, and the server was away for all tries.
            ValidationError: None waits, and the server refuses the request.
        """
        with self._changed:
            found = self._page(self._items, most)
            if found is not None:
                self._bytes -= found[1]
                self._changed.notify_all()
                return found[0]
        if self._error is not None:
            raise self._error
        return None

    def close(self) -> None:
        """End it."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()
        self._interrupt()
        if self._thread.ident is not None and threading.current_thread() is not self._thread:
            self._thread.join(_CLOSE_S)

    def _interrupt(self) -> None:  # noqa: B027 - optional
        """End a call that waits for the server. May be called twice."""

    def _put(self, item: Any, size: int) -> None:
        """Let something wait, as soon as there is room."""
        with self._changed:
            self._changed.wait_for(lambda: not self._items or self._bytes < self._most_bytes or self._closed.is_set())
            self._items.append((item, size))
            self._bytes += size

    def _works(self) -> None:
        """The server answers: all tries are there again."""
        self._pauses = self._backoff.pauses_s()

    def _wait_after(self, trouble: HttpTrouble, least_s: float = 0.0) -> None:
        """Wait before the next try. A pause that the server asks for is no try.

        Raises:
            HttpTrouble: There are no tries left.
        """
        if trouble.wait_s is not None:
            pause = max(trouble.wait_s, least_s)
        else:
            following = next(self._pauses, None)
            if following is None:
                raise HttpTrouble(f"{trouble}; given up after {self._backoff.retries + 1} tries") from trouble
            pause = max(following, least_s)
        self._logger.warning("%s; tried again in %.1f s", trouble, pause)
        self._closed.wait(pause)

    def _follow(self) -> None:
        self._works()
        try:
            self._run()
        except Exception as error:
            if not self._closed.is_set():
                self._error = error
