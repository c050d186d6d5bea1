"""What the gateway notes of jobs whose drivers it cannot kill."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from datastream.services.gateway.database import Database, artifacts, sqlite_url
from datastream.services.gateway.driver_client import DriverClient
from datastream.services.gateway.jobs import Jobs, NewJob
from datastream.services.gateway.launchers.launcher import Alive, Launch, State
from datastream.services.gateway.supervisor import Supervisor
from tests.support.waiting import wait_until


class Immortal:
    """A launcher whose drivers run on, whatever it is told."""

    name = "process"

    def state(self, launch: Launch) -> State:
        return Alive()

    def kill(self, launch: Launch) -> None:
        """Does nothing."""


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    with closing(Database(sqlite_url(tmp_path / "db"))) as database:
        with database.write() as connection:
            row: dict[str, Any] = {"id": "a_b.py", "name": "b.py", "kind": "script", "entries": [], "size": 1}
            connection.execute(artifacts.insert().values(**row, sha256="0", uploaded_ms=1))
        yield Jobs(database, tmp_path / "jobs", tmp_path / "artifacts", most=2)


def test_a_job_that_was_asked_to_end_long_ago_is_being_cancelled(jobs: Jobs) -> None:
    """Also where the order could not be noted when it came, and the time for a driver to end is over."""
    job = jobs.add(NewJob(secrets.token_hex(16), "a_b.py", "process", None, {}, {}))
    with closing(DriverClient()) as client:
        supervisor = Supervisor(jobs, {"process": Immortal()}, client)  # type: ignore[dict-item]
        followed = supervisor.followed(job.id)
        followed.to_cancel, followed.cancelled = True, time.monotonic() - 3600
        supervisor.start()
        try:
            wait_until(lambda: (jobs.find(job.id) or job).state == "CANCELLING", "a job that is being cancelled")
        finally:
            supervisor.close()
