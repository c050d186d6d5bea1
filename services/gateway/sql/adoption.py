"""Takes the jobs of sessions into the list of jobs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from sqlalchemy import Row

from datastream.environments.secret_values import hide, hide_in, secrets_of

from ..jobs import AdoptedJob, Jobs
from ..launchers.sql import SqlLauncher
from ..launchers.sql_notes import SqlJob, SqlNotes

_LOGGER = logging.getLogger("datastream")
_LOOK_S = 0.5
#: Ended jobs of sessions that are kept; the oldest go first. A client may run a thousand INSERTs.
MOST_ENDED = 200
#: Characters of a statement that are kept.
_STATEMENT = 20_000


class SqlAdoption:
    """Looks for notes of sessions on jobs, and makes a job of the list for each.

    Args:
        jobs: The jobs.
        notes: The notes.
        forget: Deletes an ended job.
    """

    def __init__(self, jobs: Jobs, notes: SqlNotes, forget: Callable[[Row[Any]], None]) -> None:
        self._jobs, self._notes, self._forget = jobs, notes, forget
        self._looking = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._main, daemon=True, name="datastream-sql-jobs")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Adopt no more."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> None:
        """Adopt what sessions have noted until now."""
        with self._looking:
            found = self._notes.begun()
            for job in found:
                self._adopt(job)
                self._notes.take(job.id)
            if found:
                for row in self._jobs.ended_before(SqlLauncher.name, MOST_ENDED):
                    self._forget(row)

    def look_safely(self) -> None:
        """Adopt what sessions have noted; where that fails, it is tried again later."""
        try:
            self.look()
        except Exception:  # a database that is away for a while
            _LOGGER.exception("jobs of sessions of SQL cannot be looked for")

    def _main(self) -> None:
        while not self._closed.wait(_LOOK_S):
            self.look_safely()

    def _adopt(self, job: SqlJob) -> None:
        if self._jobs.find(job.id) is not None:  # the gateway was killed before it took the note
            return
        known = secrets_of(job.properties)
        self._jobs.adopt(
            AdoptedJob(
                id=job.id,
                launcher=SqlLauncher.name,
                name=hide(job.name, known)[:200],
                place="SQL",
                kind="sql",
                request={
                    "statement": hide(job.statement, known)[:_STATEMENT],
                    "session": job.session,
                    "flinkConfiguration": hide_in(job.properties, known),
                },
                settings={"url": job.url, "process": dict(job.process), "properties": dict(job.properties)},
                control_token=job.control_token,
                created_ms=job.started_ms,
            )
        )
