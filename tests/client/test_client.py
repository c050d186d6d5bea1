"""What the client makes of the gateway's answers, and what it sends."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.client import AmbiguousName, GatewayClient, GatewayError, GatewayTimeout, NotFound, SavepointFailed
from datastream.client.wire import to_json
from tests.client.jobs_json import ARTIFACT, JID, OTHER, job_json
from tests.client.scripted_server import Answer, ScriptedServer, refusal

SAVEPOINT = f"GET /jobs/{JID}/savepoints/r1"
IN_PROGRESS = {"status": {"id": "IN_PROGRESS"}}
TAKEN = {"status": {"id": "COMPLETED"}, "operation": {"location": "/savepoints/1"}}
FAILED = {
    "status": {"id": "COMPLETED"},
    "operation": {"failure-cause": {"class": "X", "stack-trace": "the disk is full"}},
}


def test_jobs_are_read_and_unknown_fields_ignored(client: GatewayClient, server: ScriptedServer) -> None:
    server.on("GET /jobs/overview", {"jobs": [job_json(), job_json(OTHER, state="FAILED", exit_code=1)], "more": 1})
    active, ended = client.jobs()
    assert (active.id, active.name, active.state, active.ended) == (JID, "word count", "RUNNING", False)
    assert (active.records_in, active.records_per_second, active.end_ms) == (123_456, 2.5, None)
    assert active.artifact is not None and active.artifact.name == "job.py"
    assert (ended.ended, ended.exit_code, ended.end_ms) == (True, 1, 1_700_000_001_234)
    assert to_json(active)["records-per-second"] == 2.5


def test_a_job_of_which_little_is_known(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(f"GET /jobs/{JID}", {"jid": JID, "name": None, "state": "CREATED", "artifact": None, "request": None})
    job = client.job(JID)
    assert (job.name, job.epoch, job.artifact, job.plan, dict(job.request)) == ("", None, None, None, {})


def test_figures_exceptions_and_checkpoints(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(
        f"GET /jobs/{JID}/metrics",
        {
            "samples": [{"seq": 7, "time_ms": 1, "records_in_s": 2.5, "partitions": {"src/0": 12}, "later": 1}],
            "seq": 7,
            "operators": {"src": {"busy_max": 0.9, "hot_key": ["'a'", 0.5], "later": 1}},
            "bottleneck": {"operator": "src", "name": "Source", "busy": 0.9, "key_group": None},
            "backpressured": True,
        },
    )
    metrics = client.metrics(JID, since=6)
    assert server.seen[-1].query == {"since": ["6"]}
    assert (metrics.samples[0].records_in_s, metrics.samples[0].partitions) == (2.5, {"src/0": 12})
    assert metrics.operators["src"].busy_max == 0.9
    assert metrics.bottleneck is not None and metrics.bottleneck.name == "Source"
    server.on(f"GET /jobs/{JID}/exceptions", {"root-exception": None, "exceptions": [{"type": "E", "line": 3, "n": 1}]})
    assert client.exceptions(JID)[0].line == 3
    server.on(
        f"GET /jobs/{JID}/checkpoints",
        {
            "counts": {"completed": 4},
            "latest": {"epoch": 3},
            "history": [{"epoch": 3}],
            "savepoints": [{"request-id": "r", "status": "FAILED", "error": "full"}],
            "directory": "/c",
        },
    )
    found = client.checkpoints(JID)
    assert (found.counts["completed"], found.history[0]["epoch"], found.savepoints[0].error) == (4, 3, "full")


def test_the_gateway_as_a_whole(client: GatewayClient, server: ScriptedServer) -> None:
    launchers = [{"name": "process", "default": True, "available": True, "pool": {"ready": 1, "size": 1}}]
    server.on("GET /overview", {"version": "1", "scopes": ["read"], "launchers": launchers})
    found = client.overview()
    assert (found.scopes, found.launchers[0].pool) == (("read",), {"ready": 1, "size": 1})


def test_an_upload_sends_the_file_and_its_progress(
    client: GatewayClient, server: ScriptedServer, tmp_path: Path
) -> None:
    server.on("POST /artifacts/upload", {**ARTIFACT, "filename": "job.py", "status": "success"})
    content = bytes(range(256)) * 3000
    (tmp_path / "job.zip").write_bytes(content)
    steps: list[tuple[int, int]] = []
    artifact = client.upload(tmp_path / "job.zip", lambda sent, size: steps.append((sent, size)))
    assert (artifact.id, artifact.modules) == ("a1b2c3", ("main",))
    seen = server.seen[0]
    assert (seen.body, seen.query, seen.headers["Content-Type"]) == (content, {"name": ["job.zip"]}, "application/zip")
    assert steps[-1] == (len(content), len(content)) and len(steps) > 1


def test_an_upload_that_is_refused_before_it_has_ended(
    client: GatewayClient, server: ScriptedServer, tmp_path: Path
) -> None:
    too_large = refusal(413, "expected at most 256 MiB")
    server.on("POST /artifacts/upload", Answer(too_large.body, 413, unread=True))
    (tmp_path / "job.zip").write_bytes(bytes(20_000_000))
    with pytest.raises(GatewayError) as caught:
        client.upload(tmp_path / "job.zip")
    assert caught.value.status in (413, None)
    assert "at most 256 MiB" in str(caught.value) or "broke" in str(caught.value)


def test_a_file_that_is_not_there_is_an_os_error(client: GatewayClient, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        client.upload(tmp_path / "none.py")


def test_a_download_replaces_the_file_once_all_has_come(
    client: GatewayClient, server: ScriptedServer, tmp_path: Path
) -> None:
    target = tmp_path / "job.py"
    target.write_text("before")
    server.on("GET /artifacts/a/content", Answer(b"half", announced=8))
    with pytest.raises(GatewayError):
        client.download("a", target)
    assert target.read_text() == "before"
    server.on("GET /artifacts/a/content", Answer(b"all of it"))
    assert client.download("a", target) == target
    assert target.read_text() == "all of it"
    assert [path.name for path in tmp_path.glob("*job*")] + [path.name for path in tmp_path.glob(".job*")] == ["job.py"]


def test_run_sends_what_was_given_and_nothing_else(client: GatewayClient, server: ScriptedServer) -> None:
    server.on("POST /artifacts/a/run", {"jobid": JID})
    assert client.run("a") == JID
    assert server.seen[-1].json == {}
    client.run(
        "a", ["--input", "x y"], module="jobs.main", parallelism=4, name="n", from_savepoint="/s",
        allow_non_restored_state=True, properties={"k": "v"}, launcher="docker", checkpoint_dir="/c",
    )  # fmt: skip
    assert server.seen[-1].json == {
        "programArgsList": ["--input", "x y"],
        "pythonEntryModule": "jobs.main",
        "parallelism": 4,
        "name": "n",
        "savepointPath": "/s",
        "allowNonRestoredState": True,
        "flinkConfiguration": {"k": "v"},
        "launcher": "docker",
        "checkpointDir": "/c",
    }


def test_a_plan(client: GatewayClient, server: ScriptedServer) -> None:
    server.on("POST /artifacts/a/plan", {"plan": {"name": "wc"}, "graph": {"nodes": [{"id": 0}]}})
    assert client.plan("a", ["x"]).graph["nodes"] == [{"id": 0}]
    server.on("POST /artifacts/a/plan", refusal(400, "job.py has no job"))
    with pytest.raises(GatewayError, match=r"job\.py has no job"):
        client.plan("a")


def test_a_savepoint_is_waited_for(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(f"POST /jobs/{JID}/savepoints", {"request-id": "r1"})
    server.on(SAVEPOINT, IN_PROGRESS, Answer(silent=True), IN_PROGRESS, TAKEN)
    assert client.savepoint(JID, "/savepoints") == "/savepoints/1"
    assert server.seen[0].json == {"target-directory": "/savepoints", "cancel-job": False}
    server.on(SAVEPOINT, FAILED)
    with pytest.raises(SavepointFailed, match="the disk is full"):
        client.savepoint(JID)


def test_stop_waits_for_the_savepoint_and_the_end(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(f"POST /jobs/{JID}/stop", {"request-id": "r1"})
    server.on(SAVEPOINT, IN_PROGRESS, TAKEN)
    server.on(f"GET /jobs/{JID}", job_json(), job_json(state="FINISHED"))
    assert client.stop(JID, drain=True, target="/savepoints") == "/savepoints/1"
    assert server.seen[0].json == {"targetDirectory": "/savepoints", "drain": True}
    assert len(server.requests(f"GET /jobs/{JID}")) == 2
    assert client.stop(JID, wait=False) is None


def test_the_end_of_a_job_whose_driver_others_start_again_is_not_waited_for_without_end(
    client: GatewayClient, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datastream.client.client._AGAIN_S", 0.2)
    server.on(f"POST /jobs/{JID}/stop", {"request-id": "r1"})
    server.on(f"PATCH /jobs/{JID}", Answer({}, 202))
    server.on(SAVEPOINT, TAKEN)
    server.on(f"GET /jobs/{JID}", job_json(launcher="external"))
    assert client.stop(JID) == "/savepoints/1"
    assert client.cancel(JID, wait=True).state == "RUNNING"


def test_cancel_waits_if_it_is_told_to(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(f"PATCH /jobs/{JID}", Answer({}, 202))
    server.on(f"GET /jobs/{JID}", job_json(state="CANCELLING"), job_json(state="CANCELED"))
    assert client.cancel(JID).state == "CANCELLING"
    assert client.cancel(JID, wait=True).state == "CANCELED"
    assert server.seen[0].query == {"mode": ["cancel"]}


def test_wait_ends_in_time(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(f"GET /jobs/{JID}", job_json())
    with pytest.raises(GatewayTimeout, match="its state is RUNNING") as caught:
        client.wait(JID, timeout_s=0.3)
    assert isinstance(caught.value, TimeoutError)


def test_wait_outlasts_a_gateway_that_is_away_for_a_while(server: ScriptedServer) -> None:
    server.on(f"GET /jobs/{JID}", Answer(silent=True), Answer(silent=True), job_json(state="FINISHED"))
    with GatewayClient(server.url, retries=0) as client:
        assert client.wait(JID).state == "FINISHED"
    server.on(f"GET /jobs/{JID}", Answer(silent=True))
    with GatewayClient(server.url, retries=0, away_s=0.0) as client, pytest.raises(GatewayError, match="broke"):
        client.wait(JID)


def test_jobs_by_id_name_and_the_beginning_of_an_id(client: GatewayClient, server: ScriptedServer) -> None:
    older, newest = "3f00" + "0" * 28, "77" * 16
    jobs = [
        job_json(newest, "sums", "FAILED"),
        job_json(JID, "word count"),
        job_json(OTHER, "sums", "FINISHED"),
        job_json(older, "word count", "CANCELED"),
    ]
    server.on("GET /jobs/overview", {"jobs": jobs})
    for text, jid in ((JID, JID), ("word count", JID), ("sums", newest), ("3a", OTHER), ("3F3", JID), (older, older)):
        assert client.find_job(text).id == jid, text
    with pytest.raises(AmbiguousName, match=r"3 jobs fit '3': 3f3f3f3f3f3f \(word count, RUNNING\), 3a3a"):
        client.find_job("3")
    for text in ("", "nothing", "ff"):
        with pytest.raises(NotFound, match="no job"):
            client.find_job(text)


def test_artifacts_by_id_name_and_the_beginning_of_an_id(client: GatewayClient, server: ScriptedServer) -> None:
    files = [{**ARTIFACT, "id": one} for one in ("b2", "a1b2", "a1c3")]
    server.on("GET /artifacts", {"address": "x", "files": files})
    for text, found in (("a1c3", "a1c3"), ("job.py", "b2"), ("a1b", "a1b2")):
        assert client.artifact(text).id == found
    with pytest.raises(AmbiguousName, match="2 artifacts fit 'a1'"):
        client.artifact("a1")
    with pytest.raises(NotFound, match="no artifact 'x'"):
        client.artifact("x")
