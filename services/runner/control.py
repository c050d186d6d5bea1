"""The pages and orders of the one who started the runner, such as a gateway: `Guarded` by the control token."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import structlog

from datastream.driver.failures import error_text, failure_text
from datastream.errors import JobCancelled, UnsupportedOperation, ValidationError, is_transient
from datastream.graph import Plan
from datastream.graph.plan_data import plan_data
from datastream.http_pages import Guarded, Page, compact_page
from datastream.job.handle import JobHandle

from .followed import Followed
from .watch import Watch

#: The event that is the runner's last word.
LAST = "figures"
_NOT_STARTED = "no job has started yet"
_ENDED = "the job has ended"
_SEVERAL = (
    "the script runs {} jobs ({}), and a savepoint is of one: let it run one job, such as one statement set, or cancel "
    "them"
)


def mark_of(token: str) -> str:
    """What marks the runner's last events: a job that prints the like of them does not know it."""
    return hashlib.sha256(f"events {token}".encode()).hexdigest()[:24]


class Control:
    """Shows the job, and steers it.

    Args:
        watch: Knows the jobs of the process.
        followed: Knows what they did.
        token: Whoever knows it may steer.
    """

    def __init__(self, watch: Watch, followed: Followed, token: str) -> None:
        self._watch, self._followed, self._token = watch, followed, token

    def guarded(self) -> Guarded:
        """The pages and orders."""
        return Guarded(
            self._token,
            {"/job": lambda: compact_page(self._followed.snapshot()), "/job/plan": self._plan},
            {"/job/cancel": self._cancel, "/job/savepoint": self._savepoint, "/job/stop": self._stop},
        )

    def log_last(self, code: int, error: BaseException | None) -> None:
        """Log how it ended: who steers it may have been away.

        Args:
            code: The exit code.
            error: What ended the job's code.
        """
        cancelled = isinstance(error, (KeyboardInterrupt, JobCancelled))
        structlog.get_logger("datastream").info(LAST, **self.last_word(code, error, cancelled))

    def last_word(self, code: int, error: BaseException | None, cancelled: bool) -> dict[str, Any]:
        """How it ended, as the event `LAST` has it.

        Args:
            code: The exit code.
            error: What ended the job's code.
            cancelled: The job was cancelled, so that the error is none of its own.
        """
        graph = self._followed.graph
        failure = error if isinstance(error, Exception) and not cancelled else None
        return {
            "mark": mark_of(self._token),
            "code": code,
            "cancelled": cancelled,
            "gave_up": self._followed.gave_up,
            "transient": error is not None and is_transient(error),
            "error": None if failure is None else error_text(failure),
            "trace": None if failure is None else failure_text(failure),
            "snapshot": self._followed.snapshot(),
            "plan": None if graph is None else plan_data(Plan.of(graph)),
        }

    def _plan(self) -> Page:
        graph = self._followed.graph
        if graph is None:
            return _refused(_NOT_STARTED, HTTPStatus.NOT_FOUND)
        return compact_page(plan_data(Plan.of(graph)))

    def _cancel(self, arguments: dict[str, Any]) -> Page:
        if wrong := _wrong(arguments, {}):
            return wrong
        if not self._watch.has_started:  # as SIGTERM, which keeps the first job from starting
            os.kill(os.getpid(), signal.SIGTERM)
        elif running := self._watch.running:
            structlog.get_logger("datastream").info("cancelling", by="HTTP")
            for job in running:
                job.cancel_from_outside()
        else:
            return _refused(_ENDED)
        return compact_page({}, HTTPStatus.ACCEPTED)

    def _savepoint(self, arguments: dict[str, Any]) -> Page:
        if wrong := _wrong(arguments, {"directory": (str, type(None))}):
            return wrong
        return self._taken(lambda job: job.trigger_savepoint(arguments.get("directory")))

    def _stop(self, arguments: dict[str, Any]) -> Page:
        if wrong := _wrong(arguments, {"directory": (str, type(None)), "drain": (bool,)}):
            return wrong
        drain = arguments.get("drain", False)
        return self._taken(lambda job: job.stop_with_savepoint(drain, arguments.get("directory")))

    def _taken(self, take: Callable[[JobHandle], str]) -> Page:
        """Take a savepoint of the job; waits for it."""
        running = self._watch.running
        if not running:
            return _refused(_ENDED if self._watch.has_started else _NOT_STARTED)
        if len(running) > 1:
            return _refused(_SEVERAL.format(len(running), ", ".join(f"'{job.name}'" for job in running)))
        try:
            return compact_page({"location": take(running[-1])})
        except (ValidationError, UnsupportedOperation) as error:
            return _refused(error_text(error))
        except Exception as error:  # it is for the one who asked
            return _refused(f"{type(error).__name__}: {error_text(error)}", HTTPStatus.INTERNAL_SERVER_ERROR)


def _refused(why: str, status: HTTPStatus = HTTPStatus.CONFLICT) -> Page:
    return compact_page({"error": why}, status)


def _wrong(arguments: dict[str, Any], known: dict[str, tuple[type, ...]]) -> Page | None:
    """The answer to arguments that an order does not have; None if they are right."""
    for name, value in arguments.items():
        if name not in known:
            there_are = f"there are {', '.join(known)}" if known else "there is none"
            return _refused(f"no argument {name!r}: {there_are}", HTTPStatus.BAD_REQUEST)
        if not isinstance(value, known[name]):
            kind = "true or false" if known[name] == (bool,) else "a text or null"
            return _refused(f"{name}: expected {kind}, got {type(value).__name__}", HTTPStatus.BAD_REQUEST)
        if isinstance(value, str) and "\0" in value:
            return _refused(f"{name}: it holds a zero byte", HTTPStatus.BAD_REQUEST)
    return None
