"""The commands and the client with a real gateway that runs real jobs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from datastream.client import GatewayError, NotAllowed, NotFound
from tests.client.real_gateway import RealGateway
from tests.support.doc_blocks import blocks
from tests.support.processes import ROOT, Runs

#: Counts without end, and gives the sums so far.
ENDLESS = """
import logging
from pyflink.datastream import StreamExecutionEnvironment
from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink

def logged(pair):
    logging.getLogger("counts").info("reached %d", pair[1])
    return pair

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.enable_checkpointing(500)
numbers = env.from_source(DataGeneratorSource(int, rate_per_second=200), WatermarkStrategy.no_watermarks(), "numbers")
ones = numbers.uid("numbers").map(lambda n: (n % 7, 1)).uid("ones")
counts = ones.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("counts")
counts.filter(lambda pair: pair[1] % 20 == 0).map(logged).uid("logged").sink_to(DiscardingSink()).uid("sink")
env.execute("counter")
"""

WORDS = """
import sys
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(sys.argv[1:] or ["nothing"]).print()
env.execute("words")
"""

WRONG = """
from pyflink.datastream import StreamExecutionEnvironment

def divide(n):
    return 1 // (n - 3)

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2, 3]).map(divide).print()
env.execute("wrong")
"""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealGateway]:
    folder = tmp_path_factory.mktemp("gateway")
    for name, text in (("endless.py", ENDLESS), ("words.py", WORDS), ("wrong.py", WRONG)):
        (folder / name).write_text(text)
    runs = Runs(folder)
    try:
        yield RealGateway(runs, folder)
    finally:
        runs.end()


def messages(log: str) -> list[str]:
    return [str(json.loads(line).get("event")) for line in log.splitlines()]


@pytest.mark.long
def test_a_job_is_submitted_watched_stopped_and_resumed(gateway: RealGateway) -> None:
    shown = gateway.call("submit", "--name", "first", "endless.py")
    jid = shown.split()[1]
    assert f"{gateway.url}/#/jobs/{jid}" in shown and "RUNNING" in shown

    follower = gateway.begin("jobs", "logs", "-f", "--json", "first")
    assert jid[:12] in gateway.call("jobs", "ls")
    with gateway.client() as client:
        for _ in client.watch(jid, timeout_s=60):
            if client.metrics(jid).operators:
                break
    lines = gateway.call("jobs", "show", jid[:10]).splitlines()
    assert any(line.startswith("state") and "RUNNING" in line for line in lines)
    assert any("Source: numbers" in line for line in lines), lines
    assert "first" in gateway.complete("datastream jobs show fi") and jid in gateway.complete("datastream jobs cancel ")

    assert "has the name 'first'" in gateway.call("submit", "--name", "first", "endless.py", code=1)
    follower.until(lambda: "reached 20" in follower.out, "message of a function")
    assert Path(gateway.call("jobs", "savepoint", "first").split("Path: ")[1].strip()).is_dir()
    savepoint = gateway.call("jobs", "stop", "-p", gateway.folder / "kept", "first").split("Path: ")[1].strip()
    assert Path(savepoint).parent == gateway.folder / "kept"
    assert follower.wait() == 0
    before = [int(text.split()[1]) for text in messages(follower.out) if text.startswith("reached")]

    again = gateway.call("submit", "--detach", "--name", "first", "--from-savepoint", savepoint, "endless.py").strip()
    with gateway.client() as client:
        log = client.logs(again, follow=True)
        reached = next(int(entry["event"].split()[1]) for entry in log if str(entry["event"]).startswith("reached"))
        log.close()  # type: ignore[attr-defined]
        assert reached >= max(before), "it counts on from the savepoint"
        states = {job.id: job.state for job in client.jobs()}
        assert states[jid] == "FINISHED" and states[again] == "RUNNING"
        assert [one.status for one in client.checkpoints(jid).savepoints] == ["COMPLETED", "COMPLETED"]
        artifact = client.artifact("endless.py")
        with pytest.raises(GatewayError) as caught:
            client.delete_artifact(artifact.id)
        assert caught.value.status == 409
    assert gateway.call("jobs", "cancel", "first") == f"{again} CANCELED\n"
    assert "(status 409)" in gateway.call("jobs", "cancel", again, code=1)
    gateway.call("jobs", "rm", jid, again)
    assert not {jid, again} & {job["jid"] for job in gateway.jobs()}
    gateway.call("artifacts", "rm", "endless.py")


@pytest.mark.long
def test_wait_ends_as_the_job_does(gateway: RealGateway) -> None:
    assert "FINISHED" in gateway.call("submit", "--wait", "--name", "short", "words.py", "to", "be")
    printed = messages(gateway.call("jobs", "logs", "--json", "short"))
    assert {"to", "be"} <= set(printed)
    failed = gateway.call("submit", "--wait", "wrong.py", code=1)
    assert "ZeroDivisionError" in failed and "divide" in failed and "wrong.py:5" in failed
    jid = next(job["jid"] for job in gateway.jobs() if job["name"] == "wrong")
    assert "ZeroDivisionError" in gateway.call("jobs", "exceptions", jid)
    assert "ZeroDivisionError" in gateway.call("jobs", "show", "wrong")


@pytest.mark.long
def test_a_job_that_fails_at_once_says_why(gateway: RealGateway) -> None:
    (gateway.folder / "absent.py").write_text("import a_module_that_is_not_there")
    failed = gateway.call("submit", "absent.py", code=1)
    assert "No module named 'a_module_that_is_not_there'" in failed and "datastream jobs logs" in failed
    gateway.call("submit", "--wait", "absent.py", code=2)
    (gateway.folder / "nothing.py").write_text("print(1)")
    assert "never called env.execute()" in gateway.call("submit", "nothing.py", code=1)
    away = gateway.call("submit", "--from-savepoint", "/no/such/place", "words.py", code=1)
    assert "/no/such/place is not a savepoint" in away


@pytest.mark.long
def test_a_folder_is_packed_and_its_module_run(gateway: RealGateway) -> None:
    folder = gateway.folder / "project"
    (folder / "pipelines").mkdir(parents=True)
    (folder / "pipelines" / "__init__.py").write_text("")
    (folder / "pipelines" / "names.py").write_text('NAME = "packed"\n')
    job = WORDS.replace("import sys\n", "import sys\nfrom pipelines.names import NAME\n").replace('"words"', "NAME")
    (folder / "pipelines" / "main.py").write_text(job)
    gateway.call("submit", "--wait", "-m", "pipelines.main", "project", "a b", "--c")
    assert {"a b", "--c"} <= set(messages(gateway.call("jobs", "logs", "--json", "packed")))


@pytest.mark.long
def test_artifacts_are_uploaded_planned_fetched_and_deleted(gateway: RealGateway) -> None:
    uploaded = gateway.call("artifacts", "upload", "words.py", "--name", "planned.py").strip()
    assert gateway.call("artifacts", "upload", "words.py", "--name", "planned.py").strip() == uploaded
    assert uploaded in gateway.call("artifacts", "ls") and uploaded in gateway.complete("datastream artifacts rm ")
    plan = gateway.call("artifacts", "plan", uploaded[:8])
    assert plan.startswith("words: 2 operators") and "Sink: Print" in plan
    graph = json.loads(gateway.call("artifacts", "plan", "--format", "json", uploaded))["graph"]
    assert [node["uid"] for node in graph["nodes"]] == ["source-0", "sink-1"]
    gateway.call("artifacts", "download", uploaded)
    assert (gateway.folder / "planned.py").read_text() == WORDS
    gateway.call("artifacts", "rm", uploaded[:8])
    with gateway.client() as client, pytest.raises(NotFound):
        client.artifact(uploaded)


@pytest.mark.long
def test_the_page_of_the_docs(gateway: RealGateway) -> None:
    for block in blocks(ROOT / "docs" / "gateway-client.md", ROOT):
        if block.title:
            (gateway.folder / block.title).write_text(block.text)
    assert gateway.python("deploy.py").splitlines() == ["deployed RUNNING", "409", "FINISHED True"]


@pytest.mark.long
def test_a_token_that_may_only_read(gateway: RealGateway) -> None:
    token = gateway.token("read")
    gateway.call("jobs", "ls", "--token-file", token)
    refused = gateway.call("submit", "--token-file", token, "words.py", code=1)
    assert "may read" in refused and "datastream-gateway token create" in refused and "read.token" in refused
    token.write_text("wrong\n")
    assert "does not accept this token" in gateway.call("jobs", "ls", "--token-file", token, code=1)
    with gateway.client() as client:
        assert client.overview().scopes == ("read", "write")
    with pytest.raises(NotAllowed), type(client)(gateway.url) as stranger:
        stranger.jobs()


def test_files_that_are_no_jobs_are_refused(gateway: RealGateway) -> None:
    (gateway.folder / "job.jar").write_bytes(b"PK")
    assert "error: " in gateway.call("artifacts", "upload", "job.jar", code=1)
    (gateway.folder / "broken.zip").write_bytes(b"PK no zip")
    assert "error: " in gateway.call("artifacts", "upload", "broken.zip", code=1)
    assert "no such file" in gateway.call("submit", "none.py", code=2)


@pytest.mark.long
def test_a_killed_gateway_is_waited_for(gateway: RealGateway) -> None:
    jid = gateway.call("submit", "--name", "survivor", "endless.py").split()[1]
    follower = gateway.begin("jobs", "logs", "-f", "-n", "100000", "--json", "survivor")
    follower.until(lambda: "reached 20" in follower.out, "message of a function")
    gateway.kill()
    assert "no gateway answers" in gateway.call("jobs", "ls", code=1)
    assert gateway.complete("datastream jobs show ") == []
    gateway.start()
    seen = len(follower.out.splitlines())
    follower.until(lambda: len(follower.out.splitlines()) > seen + 5, "more lines")
    gateway.call("jobs", "cancel", "survivor")
    assert follower.wait() == 0, follower.told()
    logged = [line for line in follower.out.splitlines() if '"reached ' in line]
    assert len(logged) == len(set(logged)), "no line twice"
    with gateway.client() as client:
        whole = [str(entry["event"]) for entry in client.logs(jid, 100_000)]
        assert client.wait(jid).state == "CANCELED"
    assert [json.loads(line)["event"] for line in logged] == [text for text in whole if text.startswith("reached ")]
