"""Jobs of a session as notes, and as its pages show and steer them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from datastream.config.settings import settings
from datastream.services.gateway.database import Database
from datastream.services.gateway.driver_client import DriverClient, DriverError
from datastream.services.gateway.jobs import Jobs
from datastream.services.gateway.launchers.launcher import Alive, Ended, Launch
from datastream.services.gateway.launchers.process_identity import identity
from datastream.services.gateway.launchers.refusal import LaunchRefused
from datastream.services.gateway.launchers.sql import SqlLauncher
from datastream.services.gateway.launchers.sql_notes import SqlJob, SqlNotes
from datastream.services.gateway.log_lines import last_word
from datastream.services.gateway.sql import adoption
from datastream.services.gateway.sql.adoption import SqlAdoption
from datastream.services.gateway.sql.operations import OperationFailed, Operations
from datastream.services.gateway.sql.session_jobs import QUERY_S, SessionJobs
from tests.support.waiting import wait_until

ENDLESS = "CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100')"
NOWHERE = "CREATE TABLE nowhere (n INT) WITH ('connector' = 'blackhole')"
COPY = "INSERT INTO nowhere SELECT n FROM endless"


class OneSession:
    """A session in this process, without a gateway."""

    def __init__(self, folder: Path, query_s: float) -> None:
        self.notes = SqlNotes(folder / "notes")
        self.operations = Operations()
        config = self.operations.statements.t_env.get_config()
        carried_out = self.operations.statements
        self.jobs = SessionJobs(self.notes, "s", lambda: carried_out.carried_out, lambda: config.to_map(), query_s)
        self.launcher = SqlLauncher(self.notes, folder / "savepoints")
        self._folder = folder

    def started(self, job: Any) -> None:
        self.jobs.started(job)
        self.operations.statements.jobs.note(job)

    def run(self, *texts: str) -> str:
        """Carry out statements; the handle of the last one."""
        handle = ""
        for text in texts:
            handle = self.operations.submit(text, {})
            wait_until(lambda of=handle: self.operations.status(of) not in ("PENDING", "RUNNING"), text)  # type: ignore[misc]
        return handle

    def job(self) -> SqlJob:
        """The one job that is noted."""
        found = wait_until(self.notes.begun, "a note")
        assert len(found) == 1
        return found[0]

    def launch(self, job: SqlJob) -> Launch:
        folder = self._folder / job.id
        folder.mkdir(exist_ok=True)
        return Launch(
            job.id, 1, Path("SQL"), "sql", folder, {"process": job.process, "url": job.url}, job.control_token
        )

    def last(self, job: SqlJob) -> dict[str, Any]:
        """How the job has ended."""
        line = wait_until(lambda: self.notes.last_word(job.id), "the end of the job")
        found = last_word([line], job.control_token)
        assert found is not None
        return found


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., OneSession]]:
    made: list[OneSession] = []
    monkeypatch.setattr(settings(), "executor", "local")

    def make(query_s: float = QUERY_S) -> OneSession:
        made.append(OneSession(tmp_path, query_s))
        monkeypatch.setattr(settings(), "on_options", made[-1].jobs.prepare)
        monkeypatch.setattr(settings(), "on_started", made[-1].started)
        return made[-1]

    yield make
    for each in made:
        each.operations.close_all()
        for job in each.operations.statements.jobs.all:
            job.handle.cancel()
            job.handle.future.heard = True


@pytest.fixture
def client() -> Iterator[DriverClient]:
    with closing(DriverClient()) as found:
        yield found


def test_a_job_is_shown_and_cancelled_by_its_pages(session: Callable[..., OneSession], client: DriverClient) -> None:
    one = session()
    one.run(ENDLESS, NOWHERE, COPY)
    job = one.job()
    assert (job.statement, job.session, job.process) == (COPY, "s", identity(os.getpid()))
    url, token = job.url, job.control_token
    assert one.launcher.state(one.launch(job)) == Alive(url)
    assert (one.launcher.memory(one.launch(job)) or 0) > 10 << 20
    snapshot = wait_until(lambda: (now := client.snapshot(url, token))["records_in"] and now, "records")
    assert (snapshot["status"], snapshot["job_id"]) == ("RUNNING", job.id)
    assert any(each["records_in"] for each in snapshot["operators"].values())
    assert client.plan(url, token)["nodes"]
    assert client.healthy(url)
    with pytest.raises(DriverError, match="needs the header"):
        client.snapshot(url, "another")
    with pytest.raises(DriverError, match="local executor keeps no checkpoint"):
        client.savepoint(url, token, "/tmp/s")
    assert one.notes.last_word(job.id) is None
    client.cancel(url, token)
    last = one.last(job)
    assert (last["code"], last["cancelled"], last["error"]) == (0, True, None)
    assert one.launcher.state(one.launch(job)) == Ended(0)
    wait_until(lambda: httpx.get(url + "/job").status_code == 404, "the job's pages to be gone")


def test_ends_are_noted(session: Callable[..., OneSession]) -> None:
    one = session()
    one.run(NOWHERE, "INSERT INTO nowhere VALUES (1), (2)")
    done = one.job()
    last = one.last(done)
    assert (last["code"], last["cancelled"], last["snapshot"]["records_in"]) == (0, False, 2)
    one.notes.take(done.id)
    one.run("INSERT INTO nowhere SELECT 1 / (n - 2) FROM (VALUES (1), (2)) AS t (n)")
    last = one.last(one.job())
    assert (last["code"], last["gave_up"]) == (1, False)
    assert "zero" in last["error"]
    assert [each["kind"] for each in last["snapshot"]["exceptions"]] == ["failed"]


def test_a_statement_set_shows_its_statements(session: Callable[..., OneSession]) -> None:
    one = session()
    insert = "INSERT INTO nowhere VALUES (1)"
    one.run(NOWHERE, "BEGIN STATEMENT SET", insert, "INSERT INTO nowhere VALUES (2)", "END")
    assert one.job().statement == f"BEGIN STATEMENT SET;\n{insert};\nINSERT INTO nowhere VALUES (2);\nEND"


def test_a_query_that_runs_for_a_while_is_noted(session: Callable[..., OneSession]) -> None:
    one = session(query_s=0.01)
    handle = one.run(ENDLESS, "SELECT n FROM endless")
    job = one.job()
    assert job.statement == "SELECT n FROM endless"
    one.operations.close(handle)
    assert one.last(job)["cancelled"]


def test_who_fetches_hears_that_a_query_was_cancelled(session: Callable[..., OneSession], client: DriverClient) -> None:
    one = session(query_s=0.01)
    handle = one.run(ENDLESS, "SELECT n FROM endless")
    job = one.job()
    client.cancel(job.url, job.control_token)
    assert one.last(job)["cancelled"]

    tokens = count()
    with pytest.raises(OperationFailed, match="was cancelled by another process"):
        wait_until(lambda: one.operations.fetch(handle, next(tokens), "JSON")["ended"], "the end of the query")


def test_a_short_query_is_not_noted(session: Callable[..., OneSession]) -> None:
    one = session(query_s=1000)
    one.run(NOWHERE, "SELECT 1 AS n", "INSERT INTO nowhere VALUES (1)")
    one.last(one.job())


def test_jobs_without_an_end_are_cancelled_by_the_end_of_the_session(session: Callable[..., OneSession]) -> None:
    one = session()
    one.run(ENDLESS, NOWHERE, COPY)
    job = one.job()
    one.jobs.close()
    one.operations.statements.jobs.all[-1].handle.end_after_epoch()
    assert one.last(job)["cancelled"]


def test_a_job_is_described_by_its_id(session: Callable[..., OneSession]) -> None:
    one = session()
    one.run(NOWHERE, "INSERT INTO nowhere VALUES (1)", "INSERT INTO nowhere VALUES (2)")
    jobs = [job.handle for job in one.operations.statements.jobs.all]
    for job in jobs:
        job.future.result()
    for text, found in (("SHOW JOBS", jobs), (f"desc job '{jobs[1].job_id}'", jobs[1:])):
        page = one.operations.fetch(one.run(text), 0, "JSON")
        assert [column["name"] for column in page["columns"]] == ["job id", "job name", "status", "start time"]
        rows = [row["fields"][:3] for row in json.loads(page["rows"])]
        assert rows == [[str(job.job_id), job.name, "FINISHED"] for job in found]


def test_notes_become_jobs_of_the_list_and_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adoption, "MOST_ENDED", 2)
    notes, database = SqlNotes(tmp_path / "notes"), Database(f"sqlite:///{tmp_path / 'gateway.db'}")
    with closing(database):
        jobs = Jobs(database, tmp_path / "jobs", tmp_path / "artifacts", most=1)
        taken = SqlAdoption(jobs, notes, lambda row: jobs.forget(row.id))
        taken.look()
        ids = [str(n) * 32 for n in range(5)]
        for number, id in enumerate(ids):
            settings = {"x.password": "hunter22"}
            job = SqlJob(id, f"n{number}", f"SELECT 'hunter22', {number}", "s", {"pid": 1}, "u", "t", number, settings)
            notes.begin(job)
            taken.look()
            notes.begin(job)  # as if the gateway had been killed before it took the note
            taken.look()
            assert notes.begun() == []
            row = jobs.get(id)
            statement, configuration = f"SELECT '[hidden]', {number}", {"x.password": "[hidden]"}
            assert row.request == {"statement": statement, "session": "s", "flinkConfiguration": configuration}
            assert (row.state, row.created_ms, row.launcher) == ("INITIALIZING", number, "sql")
            if number != 1:
                jobs.change(id, state="FINISHED")
        # Those that have not ended stay, and the latest two that have.
        assert {row.id for row in jobs.ids()} == {ids[1], ids[2], ids[3], ids[4]}


def test_jobs_of_a_process_that_was_killed_have_failed(tmp_path: Path) -> None:
    notes = SqlNotes(tmp_path / "notes")
    launcher = SqlLauncher(notes, tmp_path / "savepoints")
    gone = {**identity(os.getpid()), "started": 0, "created": 0.0}
    launch = Launch("0" * 32, 1, Path("SQL"), "sql", tmp_path, {"process": gone, "url": "http://127.0.0.1:1"}, "t")
    ended = launcher.state(launch)
    assert isinstance(ended, Ended) and ended.code == 137 and "was killed" in str(ended.reason)
    assert launcher.state(launch) == ended
    assert launcher.memory(launch) is None
    with pytest.raises(LaunchRefused, match="it starts no jobs"):
        launcher.start(launch)
    assert launcher.savepoint_dir("j", tmp_path) == str(tmp_path / "savepoints" / "j")


def test_notes_that_are_damaged_are_left_out(tmp_path: Path) -> None:
    notes = SqlNotes(tmp_path)
    assert SqlNotes(tmp_path / "none").begun() == []
    for name, text in (("0" * 32, "{"), ("1" * 32, "[]"), ("2" * 32, '{"id": "x"}'), ("other", "{}")):
        (tmp_path / f"{name}.job.json").write_text(text)
    job = SqlJob("3" * 32, "n", "SELECT 'ä'", "s", {"pid": 1}, "http://x", "t", 1, {})
    notes.begin(job)
    assert notes.begun() == [job]
    assert "SELECT" not in repr(job)
    notes.end(job.id, "word")
    notes.take(job.id)
    assert notes.begun() == [] and notes.last_word(job.id) == "word"
    notes.forget(job.id)
    assert notes.last_word(job.id) is None
