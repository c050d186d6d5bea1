"""Failures in threads, pools and tasks of a script that are never reported: Python ends with exit code 0 anyway."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

from datastream.errors import DataStreamError

_MOST = 100


class UnheardFailures:
    """Gathers them.

    Args:
        others: Threads that are not the script's.

    Attributes:
        died: What has ended a thread of the script and comes from no job; the traceback was printed.
    """

    def __init__(self, others: set[threading.Thread]) -> None:
        self._others = others
        self.died: BaseException | None = None
        self._found: list[BaseException] = []
        self._failed: list[_Noted] = []
        self._waiting: set[Future[Any]] = set()

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Within the block, they are gathered."""
        hook, submit = threading.excepthook, ThreadPoolExecutor.submit
        tasks = logging.getLogger("asyncio")
        handler = _Tasks(self._found)

        def thread_failed(args: threading.ExceptHookArgs, /) -> None:
            error = args.exc_value
            if error is not None and is_of_job(error):
                self._add(error)
                return
            if args.thread not in self._others:
                self.died = error
            hook(args)

        def noted(pool: ThreadPoolExecutor, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = submit(pool, *args, **kwargs)
            future.__class__ = _Noted
            self._waiting.add(future)
            future.add_done_callback(self._done)
            return future

        threading.excepthook = thread_failed
        ThreadPoolExecutor.submit = noted  # type: ignore[method-assign, assignment]
        tasks.addHandler(handler)
        try:
            yield
        finally:
            threading.excepthook, ThreadPoolExecutor.submit = hook, submit  # type: ignore[method-assign]
            tasks.removeHandler(handler)

    def take(self) -> list[BaseException]:
        """Those that came since the last call."""
        found, self._found[:] = list(self._found), []
        failed, self._failed = self._failed, []
        return found + [error for each in failed if not each.heard and (error := each.error) is not None]

    def forget(self) -> None:
        """In a process made by a fork: what came before is its parent's."""
        self._found.clear()
        self._failed, self._waiting = [], set()

    def wait_for_pools(self) -> bool:
        """Wait for all that was given to pools of threads. False: there was nothing."""
        waiting = list(self._waiting)
        wait(waiting)
        return bool(waiting)

    def _done(self, future: Future[Any]) -> None:
        assert isinstance(future, _Noted)
        self._waiting.discard(future)
        if future.error is not None and is_of_job(future.error) and len(self._failed) < _MOST:
            self._failed.append(future)

    def _add(self, error: BaseException) -> None:
        if len(self._found) < _MOST:
            self._found.append(error)


class _Noted(Future[Any]):
    """What a pool's `submit` returns; notes whether anybody has looked at it."""

    heard = False

    def result(self, timeout: float | None = None) -> Any:
        self.heard = True
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self.heard = True
        return super().exception(timeout)

    @property
    def error(self) -> BaseException | None:
        """Its failure; reading it does not count as having been reported."""
        return super().exception() if self.done() and not self.cancelled() else None


class _Tasks(logging.Handler):
    """Hears what asyncio logs of tasks whose failure was never retrieved."""

    def __init__(self, found: list[BaseException]) -> None:
        super().__init__(logging.ERROR)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and is_of_job(error) and len(self._found) < _MOST:
            self._found.append(error)


def is_of_job(error: BaseException) -> bool:
    """Whether a job, or its start, has failed with it, or caused it."""
    return any(isinstance(each, DataStreamError) for each in causes(error))


def causes(error: BaseException) -> list[BaseException]:
    """An error, what caused it, and so on."""
    found: list[BaseException] = []
    next_one: BaseException | None = error
    while next_one is not None and next_one not in found:
        found.append(next_one)
        next_one = next_one.__cause__ or next_one.__context__
    return found
