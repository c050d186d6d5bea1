"""A runner that is watched and steered by HTTP, from before its job to behind it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.services.conftest import TOKEN, Runner, Runners

#: Sums of the numbers by their last digit, without end: argv[1] is the folder of its marks, 1,000 records/s.
SUMS = """
import sys, time
from pathlib import Path
from pyflink.common import Encoder, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, RollingPolicy
from pyflink.datastream.window import CountTumblingWindowAssigner
from datastream.connectors import DataGeneratorSource

folder = Path(sys.argv[1])
while not (folder / "go").exists():
    time.sleep(0.05)
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
source = env.from_source(DataGeneratorSource(int, rate_per_second=1000), WatermarkStrategy.no_watermarks(), "numbers")
sums = source.uid("source").key_by(lambda n: n % 10).reduce(lambda a, b: a + b).uid("sums").name("Sums")
sink = FileSink.for_row_format(str(folder / "out"), Encoder.simple_string_encoder())
sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()
sums.map(str).uid("text").sink_to(sink).uid("files")
env.execute("sums")
(folder / "ended").touch()
while not (folder / "leave").exists():
    time.sleep(0.05)
"""
FAILS = """
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([3, 0]).map(lambda n: 6 // n).name("divide").print()
env.execute("fails")
"""


def sums(runners: Runners, *flags: object, waits: bool = False) -> Runner:
    folder = runners.folder
    (folder / "leave").touch()
    if not waits:
        (folder / "go").touch()
    flags = ("--checkpoint-dir", folder / "checkpoint", *flags)
    return runners.steered(*flags, runners.script(SUMS), folder)


def until_committed(runner: Runner, epochs: int = 3) -> None:
    runner.run.until(lambda: runner.job()["epochs"] >= epochs, f"{epochs} epochs")


@pytest.mark.long
def test_from_before_the_job_to_a_stop_with_drain(runners: Runners) -> None:
    folder = runners.folder
    runner = sums(runners, "-D", f"execution.checkpointing.savepoint-dir={folder / 'default'}", waits=True)
    early = runner.job()
    assert (early["job_id"], early["name"], early["status"]) == (None, None, "INITIALIZING")
    assert (early["epoch"], early["operators"], early["last_epochs"]) == (None, {}, [])
    assert runner.ask("/job/plan") == (404, {"error": "no job has started yet"})
    for order in ("/job/savepoint", "/job/stop"):
        assert runner.ask(order, {}) == (409, {"error": "no job has started yet"})

    (folder / "go").touch()
    until_committed(runner)
    job = runner.job()
    assert (job["name"], job["status"], job["checkpoint"]) == ("sums", "RUNNING", str(folder / "checkpoint"))
    assert len(job["job_id"]) == 32
    assert job["operators"].keys() == {"source", "sums", "text", "files"}
    assert job["uptime_s"] > early["uptime_s"] and job["started_ms"] == early["started_ms"]
    status, plan = runner.ask("/job/plan")
    assert status == 200 and [node["uid"] for node in plan["nodes"]] == ["source", "sums", "text", "files"]

    status, taken = runner.ask("/job/savepoint", {"directory": str(folder / "savepoints")})
    assert status == 200, taken
    assert json.loads(Path(taken["location"], "manifest.json").read_text())
    assert Path(taken["location"]).parent == folder / "savepoints"
    status, failed = runner.ask("/job/savepoint", {"directory": "/proc/no-folder"})
    assert status in (409, 500) and failed["error"]
    status, refused = runner.ask("/job/savepoint", {"directory": "s3://bucket"})
    assert status == 409 and "a folder of this machine" in refused["error"]
    status, stopped = runner.ask("/job/stop", {"directory": None, "drain": True})
    assert status == 200, stopped
    assert Path(stopped["location"]).parent == folder / "default"
    assert runner.run.wait() == 0, runner.run.told()
    assert runner.events("epoch")[-1]["final"], "its sources ended"
    assert runner.events("end")[0]["status"] == "FINISHED"
    assert TOKEN not in runner.run.err
    runner.run.assert_tidy()


@pytest.mark.long
def test_figures_are_what_the_job_did_and_stay_behind_its_end(runners: Runners) -> None:
    folder = runners.folder
    runner = sums(runners)
    (folder / "leave").unlink()
    until_committed(runner)
    assert runner.ask("/job/stop", {"directory": str(folder / "savepoints")})[0] == 200
    runner.run.until(lambda: (folder / "ended").exists(), "end of the job")
    job = runner.job()
    assert job["status"] == "FINISHED"
    epochs = runner.events("epoch")
    read = sum(epoch["records_in"] for epoch in epochs)
    written = sum(len(file.read_text().split()) for file in (folder / "out").rglob("part-*"))
    assert job["epochs"] == len(epochs) and job["epoch"] == epochs[-1]["epoch"]
    assert job["records_in"] == read and job["records_out"] == written == read
    assert [epoch["records_in"] for epoch in job["last_epochs"]] == [epoch["records_in"] for epoch in epochs][-50:]
    assert job["run_s"] == pytest.approx(sum(epoch["run_ms"] or 0 for epoch in epochs) / 1000)
    assert job["phases"].keys() == {"plan", "compile", "run", "log"}
    assert job["last_epochs"][0]["phases"]["run"] > 0
    assert job["state"]["entries"] > 0 and job["state"]["memory_bytes"] > 0
    operators = job["operators"]
    assert [operators[uid]["records_in"] for uid in ("source", "sums", "text", "files")] == [read] * 4
    assert operators["sums"]["keys"] == 10 and operators["sums"]["state_bytes"] > 0
    assert operators["sums"]["busy_s"] > 0 and operators["files"]["commits"] == len(epochs)
    for figures in operators.values():
        assert [each["subtask"] for each in figures["subtasks"]] == [0, 1]
        assert sum(each["records_in"] for each in figures["subtasks"]) == figures["records_in"]
    for order in ("/job/cancel", "/job/savepoint", "/job/stop"):
        assert runner.ask(order, {}) == (409, {"error": "the job has ended"})
    assert runner.ask("/job/plan")[0] == 200
    (folder / "leave").touch()
    runner.run.succeed()
    [logged] = runner.events("figures")
    last = logged["snapshot"]
    assert [node["uid"] for node in logged["plan"]["nodes"]] == list(operators)
    assert (last["records_in"], last["status"], last["operators"]) == (read, "FINISHED", operators)


@pytest.mark.long
def test_cancel(runners: Runners) -> None:
    note = runners.folder / "note.json"
    runner = sums(runners, "--note", note)
    written = json.loads(note.read_text())
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert written["pid"] == runner.run.process.pid
    assert written["created"] == psutil.Process(written["pid"]).create_time()
    assert written["url"] == f"http://127.0.0.1:{runner.events('listening')[0]['port']}"
    until_committed(runner)
    assert runner.ask("/job/cancel", {}) == (202, {})
    assert runner.run.wait() == 0, runner.run.told()
    assert runner.events("end")[0]["status"] == "CANCELED"
    assert runner.events("figures")[0]["snapshot"]["status"] == "CANCELED"
    runner.run.assert_tidy()


def test_cancel_before_the_job_has_started(runners: Runners) -> None:
    runner = sums(runners, waits=True)
    assert runner.ask("/job/cancel", b"") == (202, {})
    assert runner.run.wait() == 0, runner.run.told()
    assert not runner.events("start")


def test_cancel_while_the_job_starts(runners: Runners) -> None:
    runner = sums(runners)
    runner.run.until(lambda: runner.job()["name"] == "sums", "job")
    assert runner.job()["status"] == "INITIALIZING"
    assert runner.ask("/job/plan")[0] == 200, "the plan is there before the job runs"
    assert runner.ask("/job/cancel", {}) == (202, {})
    assert runner.run.wait() == 0, runner.run.told()
    assert not runner.events("epoch")
    runner.run.assert_tidy()


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"path": "/job", "token": None}, 401, "Authorization: Bearer"),
    ({"path": "/job", "token": TOKEN[:-1]}, 401, "Authorization: Bearer"),
    ({"path": "/job", "token": f"{TOKEN}\xe9"}, 401, "Authorization: Bearer"),
    ({"path": "/job/plan", "token": ""}, 401, "Authorization: Bearer"),
    ({"path": "/job/cancel", "body": {}, "token": "wrong"}, 401, "Authorization: Bearer"),
    ({"path": "/job/cancel", "body": b"x" * 500_000, "token": "wrong"}, 401, "Authorization: Bearer"),
    ({"path": "/job/cancel"}, 405, "use POST"),
    ({"path": "/job/stop"}, 405, "use POST"),
    ({"path": "/job/savepoint"}, 405, "use POST"),
    ({"path": "/job", "body": {}}, 405, "use GET"),
    ({"path": "/healthz", "body": {}}, 405, "use GET"),
    ({"path": "/nothing", "body": {}}, 404, "no such page"),
    ({"path": "/job/cancel", "body": b" " * (64 * 1024 + 1)}, 413, "at most 65,536 bytes"),
    ({"path": "/job/stop", "body": {"directory": "x" * 500_000}}, 413, "at most 65,536 bytes"),
    ({"path": "/job/cancel", "body": [1]}, 400, "expected a JSON object"),
    ({"path": "/job/cancel", "body": b"\xff{"}, 400, "no JSON"),
    ({"path": "/job/cancel", "body": b"[" * 60_000}, 400, "no JSON"),
    ({"path": "/job/cancel", "body": {"now": True}}, 400, "no argument 'now'"),
    ({"path": "/job/stop", "body": {"drain": "yes"}}, 400, "drain: expected true or false, got str"),
    ({"path": "/job/stop", "body": {"directory": 7}}, 400, "directory: expected a text or null, got int"),
    ({"path": "/job/savepoint", "body": {"directory": "a\0b"}}, 400, "a zero byte"),
    ({"path": "/job/savepoint", "body": {"drain": True}}, 400, "no argument 'drain'"),
]


def test_what_is_refused(runners: Runners) -> None:
    runner = sums(runners, "--executor", "local", waits=True)
    for request, status, said in REFUSED:
        answer = runner.ask(**request)
        assert answer[0] == status and said in answer[1]["error"], (request["path"], answer)
    assert runner.run.process.poll() is None, "nothing of it has run"
    assert runner.terminate() == 0


def test_without_a_token_there_is_nothing_to_steer(runners: Runners) -> None:
    runner = runners.local(runners.script(SUMS), runners.folder)
    runner.run.until(lambda: bool(runner.events("listening")), "endpoints")
    for token in (None, "", TOKEN):
        assert runner.ask("/job", token=token)[0] == 404
        assert runner.ask("/job/cancel", {}, token=token)[0] == 404
    assert runner.events("settings")[0]["settings"]["control-token"]["value"] is None
    assert runner.terminate() == 0


def test_the_token_is_a_secret(runners: Runners) -> None:
    text = "import os, time\nprint([v for v in os.environ.values() if 'steer' in v], flush=True)\ntime.sleep(600)"
    runner = runners.steered("--executor", "local", runners.script(text))
    shown = runner.events("settings")[0]["settings"]["control-token"]
    assert shown == {"value": "[hidden]", "from": "DATASTREAM_CONTROL_TOKEN"}
    runner.run.until(lambda: bool(runner.run.out), "print")
    assert runner.run.out == "[]\n", "the job's processes do not inherit it"
    assert runner.terminate() == 0


def test_a_savepoint_that_cannot_be(runners: Runners) -> None:
    (runners.folder / "go").touch()
    runner = runners.steered("--executor", "local", runners.script(SUMS), runners.folder)
    runner.run.until(lambda: runner.job()["epochs"] > 0, "epoch")
    status, said = runner.ask("/job/savepoint", {"directory": "/tmp"})
    assert status == 409 and "run on Spark for that" in said["error"]
    (runners.folder / "leave").touch()
    assert runner.ask("/job/cancel", {})[0] == 202
    assert runner.run.wait() == 0


def test_what_went_wrong(runners: Runners) -> None:
    script = runners.script(FAILS)
    restarts = {"type": "fixed-delay", "fixed-delay.attempts": "100", "fixed-delay.delay": "1 min"}
    flags = [part for key, value in restarts.items() for part in ("-D", f"restart-strategy.{key}={value}")]
    runner = runners.steered("--executor", "local", *flags, script)
    runner.run.until(lambda: bool(runner.job()["exceptions"]), "restart")
    job = runner.job()
    assert (job["status"], job["restarts"], job["epochs"]) == ("RESTARTING", 1, 0)
    [found] = job["exceptions"]
    assert found["operator"] == "divide" and "<lambda>" in found["function"]
    assert (found["type"], found["kind"], found["number"]) == ("ZeroDivisionError", "restart", 1)
    assert "division" in found["message"] and "6 // n" in found["trace"]
    assert (os.path.basename(found["file"]), found["line"], found["value"]) == (script.name, 5, "0")
    assert runner.terminate() == 0
    failed = runners.steered("--executor", "local", script)
    assert failed.run.wait() == 1
    [found] = failed.events("figures")[0]["snapshot"]["exceptions"]
    assert (found["kind"], found["type"], found["line"]) == ("failed", "ZeroDivisionError", 5)
    broken = runners.script("import no_such_package", "broken.py")
    without_job = runners.steered("--executor", "local", broken)
    assert without_job.run.wait() == 2
    [logged] = without_job.events("figures")
    last = logged["snapshot"]
    assert logged["plan"] is None
    assert last["status"] == "FAILED" and last["job_id"] is None
    [found] = last["exceptions"]
    assert found["type"] == "ModuleNotFoundError" and "broken.py" in found["trace"]


def test_a_note_that_cannot_be_written(runners: Runners) -> None:
    runner = runners.local("--note", runners.folder / "none" / "note.json", runners.script(FAILS))
    assert runner.run.wait() == 2
    assert "note.json cannot be written: No such file" in runner.events("failed")[0]["error"]
