"""Jobs of sessions among the jobs of their gateway."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.services.gateway.conftest import GatewayServer
from tests.support.waiting import wait_until

pytestmark = pytest.mark.long

ENDLESS = "CREATE TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100')"
NOWHERE = "CREATE TABLE nowhere (n INT) WITH ('connector' = 'blackhole')"
COPY = "INSERT INTO nowhere SELECT n FROM endless"


class Sql:
    """A session of a gateway."""

    def __init__(self, gateway: GatewayServer, **properties: str) -> None:
        self._gateway = gateway
        properties = {"datastream.executor": "local", **properties}
        answer = gateway.client.post("/sessions", json={"properties": properties})
        assert answer.status_code == 200, answer.text
        self.handle = answer.json()["sessionHandle"]

    def begin(self, text: str) -> str:
        """Carry out a statement; the path of its operation."""
        path = f"/sessions/{self.handle}"
        answer = self._gateway.client.post(f"{path}/statements", json={"statement": text})
        assert answer.status_code == 200, answer.text
        return f"{path}/operations/{answer.json()['operationHandle']}"

    def run(self, text: str) -> dict[str, Any]:
        """The first page of a statement's result."""
        operation = self.begin(text)
        client = self._gateway.client

        def page() -> dict[str, Any] | None:
            answer = client.get(f"{operation}/result/0")
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()
            return None if found["resultType"] == "NOT_READY" else found

        found = wait_until(page, f"the result of {text}")
        assert found is not None
        return found

    def rows(self, text: str) -> list[list[Any]]:
        return [row["fields"] for row in self.run(text)["results"]["data"]]

    def start(self, *texts: str) -> str:
        """Carry out statements; the id of the last one's job."""
        for text in texts[:-1]:
            self.run(text)
        return str(self.run(texts[-1])["jobID"])

    def close(self) -> None:
        assert self._gateway.client.delete(f"/sessions/{self.handle}").status_code == 200


def test_a_job_is_among_the_gateways_jobs_and_cancelled_there(gateway: GatewayServer) -> None:
    sql = Sql(gateway, **{"table.display.max-column-width": "20"})
    jid = sql.start(ENDLESS, NOWHERE, f"{COPY} WHERE 'password=hunter22' <> 'x'")
    job = gateway.job(jid)  # at once
    assert (job["launcher"], job["artifact"], job["attempt"]) == ("sql", {"id": "", "name": "SQL"}, 1)
    assert job["request"] == {
        "statement": f"{COPY} WHERE 'password=[hidden]' <> 'x'",
        "session": sql.handle,
        "flinkConfiguration": {"table.display.max-column-width": "20"},
    }
    running = gateway.until(jid, lambda job: job["state"] == "RUNNING" and job["records-in"] and job["plan"])
    assert running["name"] == "insert-into_default_catalog.default_database.nowhere"
    assert jid in {each["id"] for each in gateway.client.get("/jobs").json()["jobs"]}
    metrics = gateway.client.get(f"/jobs/{jid}/metrics").json()
    assert any(each["records_in"] for each in metrics["operators"].values())
    assert gateway.client.get(f"/jobs/{jid}/plan").json()["plan"]["nodes"]
    (shown,) = sql.rows(f"DESCRIBE JOB '{jid}'")
    assert shown[0] == jid and shown[2] == "RUNNING"
    # Without a checkpoint there is no savepoint.
    request = gateway.client.post(f"/jobs/{jid}/savepoints").json()["request-id"]
    status = wait_until(
        lambda: (
            (now := gateway.client.get(f"/jobs/{jid}/savepoints/{request}").json())["status"]["id"] == "COMPLETED"
            and now
        ),
        "the end of the savepoint",
    )
    assert "keeps no checkpoint" in status["operation"]["failure-cause"]["stack-trace"]
    assert gateway.client.delete(f"/jobs/{jid}").status_code == 409
    gateway.cancel(jid)
    assert sql.rows("SHOW JOBS")[0][2] == "CANCELED"
    assert gateway.client.delete(f"/jobs/{jid}").status_code == 200
    assert gateway.client.get(f"/jobs/{jid}").status_code == 404
    assert list((gateway.data / "work" / "sql-jobs").glob(f"{jid}*")) == []
    sql.close()


def test_ends_of_jobs_are_those_of_the_session(gateway: GatewayServer) -> None:
    sql = Sql(gateway)
    done = sql.start(NOWHERE, "INSERT INTO nowhere VALUES (1), (2)")
    assert gateway.until_state(done, "FINISHED")["records-in"] == 2
    failing = sql.start("INSERT INTO nowhere SELECT 1 / (n - 2) FROM (VALUES (1), (2)) AS t (n)")
    failed = gateway.until_state(failing, "FAILED")
    assert "zero" in failed["error"] and (failed["exit-code"], failed["attempt"]) == (1, 1)
    exceptions = gateway.client.get(f"/jobs/{failing}/exceptions").json()
    assert "zero" in exceptions["root-exception"] and exceptions["exceptions"][0]["kind"] == "failed"

    stopped = sql.start(ENDLESS, COPY)
    sql.run(f"STOP JOB '{stopped}'")
    gateway.until_state(stopped, "CANCELED")

    query = sql.begin("SELECT n FROM endless")
    jobs = lambda: gateway.client.get("/jobs/overview").json()["jobs"]  # noqa: E731
    of_query = wait_until(
        lambda: [each["jid"] for each in jobs() if each["request"].get("statement") == "SELECT n FROM endless"],
        "the query among the jobs",
    )[0]
    gateway.until_state(of_query, "RUNNING")
    assert gateway.client.delete(f"{query}/close").status_code == 200
    gateway.until_state(of_query, "CANCELED")

    left = sql.start(COPY)
    sql.close()
    gateway.until_state(left, "CANCELED")


TALK = """
import logging
from pyflink.table import DataTypes
from pyflink.table.udf import udf

@udf(result_type=DataTypes.INT())
def say(n, what):
    logging.getLogger("talk").warning("%s says password=hunter22", what)
    return n
"""


@pytest.mark.parametrize("executor", ["local", "spark"])
def test_each_job_has_its_own_log(gateway: GatewayServer, tmp_path: Path, executor: str) -> None:
    (tmp_path / "talk.py").write_text(TALK)
    sql = Sql(
        gateway,
        **{
            "datastream.executor": executor,
            "parallelism.default": "1",
            "python.files": str(tmp_path / "talk.py"),
            "table.display.max-column-width": "20",
        },
    )
    say = "CREATE FUNCTION say AS 'talk.say' LANGUAGE PYTHON"
    one = sql.start(say, ENDLESS, NOWHERE, "INSERT INTO nowhere SELECT say(n, 'one') FROM endless")
    other = sql.start("INSERT INTO nowhere SELECT say(n, 'other') FROM endless")
    logs = lambda jid, lines=100: gateway.client.get(f"/jobs/{jid}/logs?lines={lines}").text  # noqa: E731
    for jid, what, not_of_it in ((one, "one", "other"), (other, "other", "one")):
        wait_until(lambda of=jid, what=what: f"{what} says" in logs(of), f"a message of {what}")  # type: ignore[misc]
        found = [json.loads(line) for line in logs(jid).splitlines()]
        assert f"{what} says password=[hidden]" in {entry["event"] for entry in found}
        assert {entry["job_id"] for entry in found if "job_id" in entry} == {jid}
        assert f"{not_of_it} says" not in logs(jid)
    with gateway.client.stream("GET", f"/jobs/{one}/logs?follow=true&lines=1") as followed:
        lines = followed.iter_lines()
        said = (line for line in lines if "one says" in line)
        assert all(next(said) for _ in range(4))
        gateway.cancel(one)
        assert all("other says" not in line for line in lines)  # it ends with the job
    assert len(logs(one, 3).splitlines()) == 3
    sql.run("STOP JOB '" + other + "'")
    gateway.until_state(other, "CANCELED")
    files = gateway.data / "work" / "sql-jobs"
    assert (files / f"{one}.log.jsonl").stat().st_mode & 0o777 == 0o600
    assert gateway.client.delete(f"/jobs/{one}").status_code == 200
    assert list(files.glob(f"{one}*")) == []
    sql.close()


def test_jobs_of_a_session_that_is_killed_have_failed(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    sql = Sql(gateway)
    jid = sql.start(ENDLESS, NOWHERE, COPY)
    gateway.until_state(jid, "RUNNING")
    children = psutil.Process(gateway.run.process.pid).children()
    (process,) = [each for each in children if any("session_process" in part for part in each.cmdline())]
    os.kill(process.pid, signal.SIGKILL)
    job = gateway.until_state(jid, "FAILED")
    assert (job["exit-code"], job["attempt"]) == (137, 1)
    assert "was killed" in job["error"]


def test_a_gateway_that_starts_again_learns_how_jobs_ended(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    sql = Sql(gateway)
    endless = sql.start(ENDLESS, NOWHERE, COPY)
    gateway.until_state(endless, "RUNNING")
    gateway.run.process.kill()
    gateway.run.wait()
    gateway.start()
    assert gateway.until(endless, lambda job: job["end-time"] > 0)["state"] == "CANCELED"


def test_a_job_is_stopped_with_a_savepoint(gateway: GatewayServer, tmp_path: Path) -> None:
    sql = Sql(
        gateway,
        **{
            "datastream.executor": "spark",
            "parallelism.default": "1",
            "execution.checkpointing.dir": str(tmp_path / "checkpoints"),
        },
    )
    jid = sql.start(ENDLESS, NOWHERE, COPY)
    gateway.until_epoch(jid)
    assert gateway.client.post(f"/jobs/{jid}/stop", json={}).status_code == 202
    job = gateway.until_state(jid, "FINISHED")
    place = job["savepoint"] or gateway.until(jid, lambda job: job["savepoint"])["savepoint"]
    assert Path(place).parent == gateway.data / "savepoints" / jid
    assert list(Path(place).iterdir())
    sql.close()
