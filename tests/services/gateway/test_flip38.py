"""FLIP-38's table of REST paths, row by row, and Flink's old paths beside them. docs/gateway.md has the table."""

from __future__ import annotations

import json
import time

import pytest

from tests.services.gateway.conftest import WORDS, GatewayServer
from tests.services.gateway.test_artifacts import zipped

PACKAGE = zipped(
    {
        "__main__.py": "raise SystemExit('the wrong module')\n",
        "words/__init__.py": "",
        "words/job.py": WORDS,
    }
)


def upload(gateway: GatewayServer, noun: str) -> str:
    answer = gateway.client.post(
        f"/{noun}/upload", params={"name": "words.zip"}, content=PACKAGE, headers={"Content-Type": "application/zip"}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "success"
    return str(answer.json()["id"])


@pytest.mark.parametrize("noun", ["artifacts", "jars"])
def test_get_artifacts(gateway: GatewayServer, noun: str) -> None:
    """GET /jars -> GET /artifacts: lists Python package files."""
    id = upload(gateway, "artifacts")
    answer = gateway.client.get(f"/{noun}").json()
    assert answer["address"] == gateway.url
    (file,) = (file for file in answer["files"] if file["id"] == id)
    assert (file["name"], file["entry"][0]["name"]) == ("words.zip", "__main__")
    assert abs(file["uploaded"] / 1000 - time.time()) < 3600


@pytest.mark.parametrize("noun", ["artifacts", "jars"])
def test_post_artifacts_upload(gateway: GatewayServer, noun: str) -> None:
    """POST /jars/upload -> POST /artifacts/upload: the Content-Type marks the kind of file."""
    upload(gateway, noun)
    java = {"Content-Type": "application/java-archive"}
    assert gateway.client.post(f"/{noun}/upload", params={"name": "x.zip"}, headers=java).status_code == 415


@pytest.mark.parametrize("noun", ["artifacts", "jars"])
def test_delete_artifact(gateway: GatewayServer, noun: str) -> None:
    """DELETE /jars/:jarid -> DELETE /artifacts/:artifactid."""
    id = upload(gateway, "artifacts")
    assert gateway.client.delete(f"/{noun}/{id}").json() == {}
    assert id not in [file["id"] for file in gateway.client.get("/artifacts").json()["files"]]


@pytest.mark.long
@pytest.mark.parametrize("noun", ["artifacts", "jars"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_get_plan(gateway: GatewayServer, noun: str, method: str) -> None:
    """GET /jars/:jarid/plan -> GET /artifacts/:artifactid/plan, with pythonEntryModule."""
    id = upload(gateway, "artifacts")
    given = {"pythonEntryModule": "words.job", "parallelism": 3, "programArg": "to,be"}
    answer = gateway.client.request(method, f"/{noun}/{id}/plan", params=given)
    assert answer.status_code == 200, answer.text
    plan = answer.json()["plan"]
    assert (plan["name"], plan["type"]) == ("words", "STREAMING")
    assert [node["pact"] for node in plan["nodes"]] == ["Data Source", "Data Sink"]
    assert [node["uid"] for node in answer.json()["graph"]["nodes"]]
    wrong = gateway.client.request(method, f"/{noun}/{id}/plan")
    assert wrong.status_code == 400
    assert "the wrong module" in wrong.text


@pytest.mark.long
@pytest.mark.parametrize("noun", ["artifacts", "jars"])
def test_post_run(gateway: GatewayServer, noun: str) -> None:
    """POST /jars/:jarid/run -> POST /artifacts/:artifactid/run, with pythonEntryModule."""
    id = upload(gateway, "artifacts")
    request = {"pythonEntryModule": "words.job", "programArgsList": ["to", "be"], "parallelism": 1}
    answer = gateway.client.post(f"/{noun}/{id}/run", json=request)
    assert answer.status_code == 200, answer.text
    job = gateway.until_state(answer.json()["jobid"], "FINISHED", "FAILED")
    assert (job["state"], job["records-in"], job["records-out"]) == ("FINISHED", 2, 2), job["error"]
    log = [json.loads(line) for line in gateway.log(job["jid"]).splitlines()]
    assert {"event": "be", "level": "info", "logger": "stdout"} in log


@pytest.mark.long
def test_a_run_is_described_in_the_query_too(gateway: GatewayServer) -> None:
    id = upload(gateway, "artifacts")
    given = {"pythonEntryModule": "words.job", "program-args": "'to be' or", "parallelism": 1}
    jid = gateway.client.post(f"/artifacts/{id}/run", params=given).json()["jobid"]
    job = gateway.until_state(jid, "FINISHED", "FAILED")
    assert (job["state"], job["records-in"], job["request"]["programArgsList"]) == ("FINISHED", 2, ["to be", "or"])


def test_a_run_that_makes_no_sense_is_refused(gateway: GatewayServer) -> None:
    id = upload(gateway, "artifacts")

    def refused(status: int, **request: object) -> str:
        answer = gateway.client.post(f"/artifacts/{id}/run", json=request)
        assert answer.status_code == status, answer.text
        return str(answer.json()["errors"][0])

    assert "is no module's name" in refused(400, pythonEntryModule="../evil")
    assert "No closing quotation" in refused(400, programArgs="'")
    assert "there is no launcher 'moon'" in refused(400, launcher="moon")
    assert "datastream.epoch.target-ms" in refused(400, flinkConfiguration={"datastream.epoch.target-m": "1"})
    assert "parallelism" in refused(422, parallelism=0)
    assert "parallelisme" in refused(422, parallelisme=1)
    assert gateway.client.post("/artifacts/none/run").status_code == 404
