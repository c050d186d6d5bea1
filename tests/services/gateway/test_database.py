"""The gateway's tables, in SQLite and PostgreSQL."""

from __future__ import annotations

import secrets
import sqlite3
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.exc import SQLAlchemyError

from datastream.services.gateway.answers import Refused
from datastream.services.gateway.database import Database, DatabaseError, artifacts, sqlite_url
from datastream.services.gateway.jobs import Jobs, NewJob
from datastream.services.gateway.tokens import Tokens
from tests.services.gateway.conftest import COUNT, GatewayServer
from tests.support.servers.postgres import postgres


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url.replace("postgresql://", "postgresql+psycopg://")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = sqlite_url(tmp_path / "db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    opened = Database(url)
    yield opened
    opened.close()


def test_what_is_noted_of_a_job(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        row = {"id": "a_b.py", "name": "b.py", "kind": "script", "entries": [], "size": 1, "sha256": "0"}
        connection.execute(artifacts.insert().values(**row, uploaded_ms=1))
    jobs = Jobs(database, tmp_path / "jobs", tmp_path / "artifacts", most=2)
    job = jobs.add(NewJob(secrets.token_hex(16), "a_b.py", "process", "one", {}, {"parallelism": 2}))
    assert (job.state, job.attempt, job.settings) == ("CREATED", 1, {"parallelism": 2})
    with pytest.raises(Refused, match="has the name 'one'"):
        jobs.add(NewJob(secrets.token_hex(16), "a_b.py", "process", "one", {}, {}))
    jobs.add(NewJob(secrets.token_hex(16), "a_b.py", "process", None, {}, {}))
    with pytest.raises(Refused, match="2 jobs are active"):
        jobs.add(NewJob(secrets.token_hex(16), "a_b.py", "process", None, {}, {}))
    with pytest.raises(Refused, match="no artifact"):
        jobs.add(NewJob(secrets.token_hex(16), "none", "process", None, {}, {}))
    for seq in range(1, 2001):
        jobs.add_sample(job.id, {"seq": seq, "records_in_s": seq})
    points = [point["seq"] for point in jobs.samples(job.id, 0)]
    assert len(points) <= 950 and points[0] == 1 and points[-1] == 2000
    assert jobs.last_rates([job.id]) == {job.id: 2000}
    assert [point["seq"] for point in jobs.samples(job.id, 1998)] == [1999, 2000]
    jobs.add_exceptions(job.id, 1, [{"number": 1, "message": "x"}, {"number": 2, "message": "y"}])
    jobs.add_exceptions(job.id, 1, [{"number": 2, "message": "y"}])
    assert [one["message"] for one in jobs.exceptions(job.id)] == ["y", "x"]
    request = jobs.begin_savepoint(job.id, "stop", "/there")
    jobs.end_savepoint(request, "/there/savepoint", None)
    assert [one.location for one in jobs.savepoints(job.id)] == ["/there/savepoint"]
    jobs.change(job.id, state="FINISHED", ended_ms=5)
    with pytest.raises(Refused, match="ended already"):
        jobs.want(job.id, "cancel", "CANCELLING")
    jobs.forget(job.id)
    assert jobs.find(job.id) is None and jobs.samples(job.id, 0) == []
    tokens = Tokens(database)
    assert tokens.find(tokens.make("me", ("write",))) is not None


def test_errors_of_the_database_do_not_quote_secrets(database: Database, tmp_path: Path) -> None:
    jobs = Jobs(database, tmp_path / "jobs", tmp_path / "artifacts", most=1000)
    settings = {"args": ["--password", "hunter2"], "properties": {"sasl.password": "hunter2"}}
    with database.write() as connection:
        row = {"id": "c_d.py", "name": "d.py", "kind": "script", "entries": [], "size": 1, "sha256": "0"}
        connection.execute(artifacts.insert().values(**row, uploaded_ms=1))
    with pytest.raises(SQLAlchemyError) as failed:
        for _ in range(2):  # the second breaks the primary key
            jobs.add(NewJob("0" * 32, "c_d.py", "process", None, {}, settings))
    assert "INSERT INTO jobs" in str(failed.value)
    assert "hunter2" not in "".join(traceback.format_exception(failed.value))
    jobs.forget("0" * 32)


@pytest.mark.long
def test_a_gateway_on_postgresql(own_gateway: Callable[..., GatewayServer]) -> None:
    with postgres() as url:
        address = {"DATASTREAM_GATEWAY_DATABASE": url.replace("postgresql://", "postgresql+psycopg://")}
        gateway = own_gateway(environment=address)
        assert not (gateway.data / "gateway.db").exists()
        jid = gateway.submit(COUNT)
        gateway.until_epoch(jid)
        gateway.run.process.kill()
        gateway.run.wait()
        gateway.start()
        epoch = gateway.job(jid)["epoch"]
        gateway.until_epoch(jid, epoch + 1)
        gateway.cancel(jid)
        with psycopg.connect(url) as connection:
            assert connection.execute("select state from jobs").fetchall() == [("CANCELED",)]


@pytest.mark.long
def test_a_database_of_a_newer_version_is_refused(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    gateway.run.process.terminate()
    gateway.run.wait()
    with sqlite3.connect(gateway.data / "gateway.db") as database:
        database.execute("update meta set value = '99' where key = 'version'")
    database.close()
    refused = gateway.command("serve", "--port", "0")
    assert refused.wait() == 1
    assert "is of version 99, made by a later datastream" in refused.err and "Traceback" not in refused.err


def test_databases_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but a text that is long enough to be taken for one" * 10)
    for url in (
        sqlite_url(tmp_path / "text"),
        sqlite_url(tmp_path / "none" / "db"),
        "postgresql+psycopg://me:hunter2@127.0.0.1:1/x",
        "postgresql+psycopg://127.0.0.1:1/x?user=me&password=hunter2&connect_timeout=5",
        "postgresql+psycopg://127.0.0.1:1/x?sslpassword=hunter2&no_such_option=1",
        "oracle://x",
        "no url",
    ):
        with pytest.raises(DatabaseError) as refused:
            Database(url)
        assert "hunter2" not in str(refused.value)
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("create table jobs (x int)")
    other.close()
    with pytest.raises(DatabaseError, match="of another program"):
        Database(sqlite_url(tmp_path / "other"))
