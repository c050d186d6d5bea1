"""The jobs of a session as its gateway sees them: noted for it, and shown and steered by HTTP while they run."""

from __future__ import annotations

import json
import logging
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

from datastream.connectors.collect_sink import CollectSink
from datastream.graph import JobGraph
from datastream.graph.operators import Sink
from datastream.http_pages import Guarded, Order, Page, PageServer
from datastream.job.handle import JobHandle
from datastream.job.job_status import JobStatus
from datastream.job.options import JobOptions
from datastream.services.runner.control import LAST, Control
from datastream.services.runner.exit_codes import ENDED, FAILED
from datastream.services.runner.followed import Followed
from datastream.services.runner.note import url_of
from datastream.services.runner.wall_clock import now_ms
from datastream.services.runner.watch import Watch

from ..launchers.process_identity import identity
from ..launchers.sql_notes import SqlJob, SqlNotes
from .session_logs import SessionLogs

_LOGGER = logging.getLogger("datastream")
#: A query that runs for a shorter time is not noted.
QUERY_S = 2.0
_ADDRESS = "127.0.0.1"


class SessionJobs:
    """Notes the jobs of a session, and serves each of them until it has ended.

    Args:
        notes: Where they are noted.
        session: The session's handle.
        statement: The text of the statement that runs.
        properties: The settings that count for it.
        query_s: A query is noted once it has run for this time, in s.

    Attributes:
        logs: Takes the log of the process.
    """

    def __init__(
        self,
        notes: SqlNotes,
        session: str,
        statement: Callable[[], str],
        properties: Callable[[], Mapping[str, str]],
        query_s: float = QUERY_S,
    ) -> None:
        self._notes, self._session, self._statement, self._properties = notes, session, statement, properties
        self._query_s = query_s
        self.logs = SessionLogs(notes)
        self._token = secrets.token_urlsafe(32)
        self._pages: dict[str, Callable[[], Page]] = {}
        self._orders: dict[str, Order] = {}
        self._about: tuple[Followed, bool] | None = None
        self._closing = False

    def prepare(self, graph: JobGraph, options: JobOptions) -> JobOptions:
        """Let a job that is about to start be measured and followed."""
        followed = Followed()
        self._about = followed, any(isinstance(op.sink, CollectSink) for op in graph.of_kind(Sink))
        return replace(options, measured=True, listeners=(*options.listeners, followed.follow(graph)))

    def started(self, handle: JobHandle) -> None:
        """A job runs: note it, a query some time later."""
        assert self._about is not None
        (followed, is_query), self._about = self._about, None
        followed.started(handle)
        job = _Noted(self._notes, self.logs, self._job(handle), handle, followed, lambda: self._closing)
        self.logs.begin(job.id)
        self._serve(job)
        later = threading.Timer(self._query_s, job.note)
        later.daemon = True
        if is_query:
            later.start()
        else:
            job.note()

        def end(_: Any) -> None:
            later.cancel()
            job.end()
            self._withdraw(job)

        handle.future.add_done_callback(end)

    def close(self) -> None:
        """The session ends: jobs without an end of their own, which end with it, are cancelled by that."""
        self._closing = True

    def _job(self, handle: JobHandle) -> SqlJob:
        id = str(handle.job_id)
        return SqlJob(
            id=id,
            name=handle.name,
            statement=self._statement(),
            session=self._session,
            process=identity(os.getpid()),
            url=f"{url_of(_ADDRESS, self._server.port)}/{id}",
            control_token=self._token,
            started_ms=now_ms(),
            properties=dict(self._properties()),
        )

    @cached_property
    def _server(self) -> PageServer:
        """Begun with the session's first job."""
        return PageServer(_ADDRESS, 0, {}, Guarded(self._token, self._pages, self._orders))

    def _serve(self, job: _Noted) -> None:
        guarded = job.control.guarded()
        self._pages.update({f"/{job.id}{path}": page for path, page in guarded.pages.items()})
        self._orders.update({f"/{job.id}{path}": order for path, order in guarded.orders.items()})

    def _withdraw(self, job: _Noted) -> None:
        guarded = job.control.guarded()
        for known, paths in ((self._pages, guarded.pages), (self._orders, guarded.orders)):
            for path in paths:
                known.pop(f"/{job.id}{path}", None)


class _Noted:
    """A job, which is noted when it has begun and when it has ended.

    Args:
        notes: Where.
        logs: Of the session.
        job: The first note.
        handle: The job.
        followed: What it does.
        is_closing: Whether its session ends.
    """

    def __init__(
        self,
        notes: SqlNotes,
        logs: SessionLogs,
        job: SqlJob,
        handle: JobHandle,
        followed: Followed,
        is_closing: Callable[[], bool],
    ) -> None:
        self.id = job.id
        self._notes, self._logs, self._job, self._handle, self._is_closing = notes, logs, job, handle, is_closing
        watch = Watch(0)
        watch.started(handle)
        self.control = Control(watch, followed, job.control_token)
        self._lock = threading.Lock()
        self._is_noted = self._has_ended = False

    def note(self) -> None:
        """Note that it runs, unless it has ended."""
        with self._lock, _to_log("job"):
            if not self._has_ended:
                self._logs.keep(self.id)
                self._notes.begin(self._job)
                self._is_noted = True

    def end(self) -> None:
        """Note how it has ended, if it was noted before."""
        with self._lock, _to_log("end of the job"):
            self._has_ended = True
            self._logs.end(self.id)
            if self._is_noted:
                self._notes.end(self.id, self._last_word())

    def _last_word(self) -> str:
        status = self._handle.status
        ends_with_session = self._is_closing() and not self._handle.bounded and status is JobStatus.FINISHED
        cancelled = status is JobStatus.CANCELED or ends_with_session
        code = FAILED if status is JobStatus.FAILED else ENDED
        word = self.control.last_word(code, self._handle.future.error, cancelled)
        # Nothing starts it again.
        return json.dumps({"logger": "datastream", "level": "info", "event": LAST, **word, "gave_up": False})


@contextmanager
def _to_log(what: str) -> Iterator[None]:
    """Log why something could not be noted; the job goes on."""
    try:
        yield
    except OSError as error:
        _LOGGER.warning("the %s cannot be noted for the gateway: %s", what, error)
