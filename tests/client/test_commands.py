"""The commands for a gateway, with a server that answers by a script."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from datastream.cli.commands import COMMANDS, cli
from tests.client.jobs_json import ARTIFACT, JID, OTHER, job_json
from tests.client.scripted_server import Answer, ScriptedServer, refusal

Call = Callable[..., Result]


@pytest.fixture
def call(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls the command for the server."""
    monkeypatch.setenv("DATASTREAM_GATEWAY_URL", server.url)
    monkeypatch.setenv("DATASTREAM_GATEWAY_TOKEN", "secret-token")

    def invoke(*args: object) -> Result:
        return CliRunner().invoke(cli, [str(arg) for arg in args], catch_exceptions=False)

    return invoke


@pytest.fixture
def jobs(server: ScriptedServer) -> None:
    """Two active jobs and an ended one."""
    found = [job_json(), job_json(OTHER, "sums", epoch=None, records_in=None), job_json("77" * 16, "old", "FAILED")]
    server.on("GET /jobs/overview", {"jobs": found})
    for one in found:
        server.on(f"GET /jobs/{one['jid']}", one)


def test_help_groups_the_commands(call: Call) -> None:
    shown = call("--help").output
    places = [shown.index(text) for text in ("Run a job here:", "  run ", "Jobs of this machine:", "  list ",
                                             "Jobs of a gateway:", "  submit ", "Tools:", "  doctor ")]  # fmt: skip
    assert places == sorted(places)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(call: Call, name: str) -> None:
    shown = call(name, "--help")
    assert shown.exit_code == 0 and "Usage: " in shown.output


def test_every_command_for_a_gateway_takes_its_url_and_token_file() -> None:
    for name in ("submit", "jobs", "artifacts"):
        command: Any = cli.get_command(None, name)  # type: ignore[arg-type]
        for one in getattr(command, "commands", {name: command}).values():
            assert {"--gateway", "--token-file"} <= {option for each in one.params for option in each.opts}


def test_a_command_of_this_machine_does_not_import_the_client() -> None:
    code = (
        "import sys\nfrom datastream.cli.commands import cli, COMMANDS\n"
        "[cli.get_command(None, name) for name in COMMANDS]\nimport datastream\n"
        "print({'httpx', 'datastream.client'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.usefixtures("jobs")
def test_ls_shows_active_jobs_or_all(call: Call) -> None:
    shown = call("jobs", "ls").stdout.splitlines()
    assert shown[0].split() == ["job", "state", "for", "epoch", "in", "out", "in/s", "launcher", "name"]
    assert shown[1].split() == [
        "3f3f3f3f3f3f",
        "RUNNING",
        "1.2",
        "s",
        "3",
        "123.5k",
        "7",
        "2.5",
        "process",
        "word",
        "count",
    ]
    assert [line.split()[0] for line in shown[2:]] == ["3a3a3a3a3a3a"]
    assert len(call("jobs", "ls", "--all").stdout.splitlines()) == 4
    objects = [json.loads(line) for line in call("jobs", "ls", "--all", "--json").stdout.splitlines()]
    assert [(one["jid"], one["records-in"]) for one in objects] == [(JID, 123456), (OTHER, None), ("77" * 16, 123456)]
    assert call("jobs", "ls", "--json", "--watch").exit_code == 2


def test_ls_without_active_jobs(call: Call, server: ScriptedServer) -> None:
    server.on("GET /jobs/overview", {"jobs": []}, {"jobs": [job_json(state="FINISHED")]})
    assert "'datastream submit' runs one" in call("jobs", "ls").stderr
    assert "--all shows 1 that has ended" in call("jobs", "ls").stderr


@pytest.mark.usefixtures("jobs")
def test_show_has_operators_bottleneck_and_the_last_error(call: Call, server: ScriptedServer) -> None:
    plan = {"nodes": [{"uid": "src", "name": "Source: lines"}, {"uid": "out", "name": "Sink\x1b[31m"}]}
    server.on(f"GET /jobs/{JID}", job_json(plan=plan))
    operators = {"out": {"state_bytes": 12_345_678}, "src": {"records_in_s": 1234.5, "busy_max": 0.93}}
    bottleneck = {"operator": "src", "name": "Source: lines", "busy": 0.93, "subtask": 1, "key": "'a'"}
    metrics = {"samples": [], "operators": operators, "bottleneck": bottleneck, "backpressured": True}
    server.on(f"GET /jobs/{JID}/metrics", metrics)
    failure = {"kind": "restart", "type": "ValueError", "message": "bad\nline", "file": "job.py", "line": 3}
    server.on(f"GET /jobs/{JID}/exceptions", {"exceptions": [failure]})
    shown = call("jobs", "show", "word count").stdout
    lines = shown.splitlines()
    assert lines[0] == f"job          {JID}"
    source = next(number for number, line in enumerate(lines) if line.endswith("Source: lines"))
    assert lines[source].split()[:4] == ["1,234", "-", "93", "%"] and "12.3 MB" in lines[source + 1]
    assert "bottleneck   Source: lines, 93 % busy in subtask 1; hottest key 'a'" in lines
    assert "last error   ValueError: bad" in lines and lines[-1].strip() == "job.py:3"
    assert "\x1b" not in shown
    whole = json.loads(call("jobs", "show", JID, "--json").stdout)
    assert (whole["jid"], whole["metrics"]["operators"]["src"]["busy_max"]) == (JID, 0.93)


@pytest.mark.usefixtures("jobs")
def test_logs_for_people_and_as_logged(call: Call, server: ScriptedServer) -> None:
    entries = [
        {"timestamp": "2026-03-01T12:00:00.123456Z", "level": "warning", "logger": "ratios",
         "event": "no\x1b[2Jinverse", "job": "n", "operator": "m", "uid": "m", "epoch": 0, "line": "j.py:3"},
        {"timestamp": "2026-03-01T12:00:01Z", "level": "error", "event": "failed", "type": "X", "error": "it broke",
         "trace": "Traceback\n  a line"},
    ]  # fmt: skip
    server.on(f"GET /jobs/{JID}/logs", Answer("".join(json.dumps(one) + "\n" for one in entries).encode() + b"plain\n"))
    shown = call("jobs", "logs", "-n", 7, "3f").stdout.splitlines()
    assert shown == [
        "2026-03-01 12:00:00.123  warning   no\\x1b[2Jinverse  operator=m  epoch=0  logger=ratios",
        "2026-03-01 12:00:01  error     failed: X: it broke",
        "  Traceback",
        "    a line",
        "info      plain",
    ]
    assert server.seen[-1].query == {"lines": ["7"]}
    assert [json.loads(line) for line in call("jobs", "logs", "--json", "3f").stdout.splitlines()][:2] == entries


@pytest.mark.usefixtures("jobs")
def test_cancel_stop_savepoint_and_rm(call: Call, server: ScriptedServer) -> None:
    server.on(f"PATCH /jobs/{JID}", Answer({}, 202))
    server.on(f"GET /jobs/{JID}", job_json(state="CANCELED"))
    assert call("jobs", "cancel", "word count").stdout == f"{JID} CANCELED\n"
    server.on(f"POST /jobs/{JID}/stop", {"request-id": "r"})
    server.on(f"POST /jobs/{JID}/savepoints", {"request-id": "r"})
    server.on(f"GET /jobs/{JID}/savepoints/r", {"status": {"id": "COMPLETED"}, "operation": {"location": "/s/1"}})
    assert call("jobs", "stop", "-d", "-p", "/s", JID).stdout == "Savepoint completed. Path: /s/1\n"
    assert server.requests(f"POST /jobs/{JID}/stop")[0].json == {"targetDirectory": "/s", "drain": True}
    assert call("jobs", "savepoint", "3f").stdout == "Savepoint completed. Path: /s/1\n"
    server.on(f"DELETE /jobs/{'77' * 16}", {})
    server.on(f"DELETE /jobs/{JID}", refusal(409, "the job is active"))
    shown = call("jobs", "rm", "old", "3f")
    assert (shown.exit_code, shown.stdout) == (1, "77" * 16 + "\n") and "the job is active" in shown.stderr


@pytest.mark.usefixtures("jobs")
def test_exceptions(call: Call, server: ScriptedServer) -> None:
    one = {
        "time_ms": 0,
        "kind": "failed",
        "type": "E",
        "message": "m\nmore",
        "trace": "T",
        "function": "f",
        "attempt": 1,
    }
    server.on(f"GET /jobs/{JID}/exceptions", {"exceptions": [one]})
    assert "failed  E: m\n  function f\n" in call("jobs", "exceptions", JID).stdout
    assert "E: m\nmore\n  function f\n  T\n" in call("jobs", "exceptions", "-v", JID).stdout
    assert json.loads(call("jobs", "exceptions", "--json", JID).stdout)["function"] == "f"


@pytest.fixture
def started(server: ScriptedServer) -> ScriptedServer:
    """A server that takes a job and starts it."""
    server.on("POST /artifacts/upload", {**ARTIFACT, "filename": "job.py"})
    server.on("POST /artifacts/a1b2c3/run", {"jobid": JID})
    states = [job_json(state="INITIALIZING", epoch=None), job_json(epoch=None), job_json(epoch=0)]
    server.on(f"GET /jobs/{JID}", *states)
    return server


def test_submit_uploads_and_follows_until_the_first_epoch(call: Call, started: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("x = 1")
    shown = call("submit", "-p", 2, "-D", "a=b=c", "--name", "n", tmp_path / "job.py", "--input", "x")
    assert shown.exit_code == 0
    assert shown.stderr == "INITIALIZING\nRUNNING\n"
    assert f"job        {JID}\n" in shown.stdout and f"dashboard  {started.url}/#/jobs/{JID}\n" in shown.stdout
    assert "datastream jobs logs -f 3f3f3f3f3f3f" in shown.stdout
    assert (started.seen[0].body, started.seen[0].query) == (b"x = 1", {"name": ["job.py"]})
    body = started.requests("POST /artifacts/a1b2c3/run")[0].json
    assert body == {
        "programArgsList": ["--input", "x"],
        "parallelism": 2,
        "flinkConfiguration": {"a": "b=c"},
        "name": "n",
    }


def test_submit_packs_a_folder(call: Call, started: ScriptedServer, tmp_path: Path) -> None:
    for name in ("flights/main.py", "flights/jobs/a.py", "flights/.git/x", "flights/jobs/__pycache__/a.pyc",
                 "flights/.venv/lib/x.py"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "flights" / "loop").symlink_to(tmp_path / "flights")
    (tmp_path / "flights" / "linked.py").symlink_to(tmp_path / "flights" / "main.py")
    shown = call("submit", "--detach", "-m", "main", tmp_path / "flights")
    assert shown.stdout == f"{JID}\n"
    seen = started.seen[0]
    with zipfile.ZipFile(io.BytesIO(seen.body)) as archive:
        assert archive.namelist() == ["jobs/a.py", "linked.py", "main.py"]
        assert archive.read("linked.py") == b"flights/main.py"
    assert seen.query == {"name": ["flights.zip"]}
    os.utime(tmp_path / "flights" / "main.py", (0, 0))
    call("artifacts", "upload", tmp_path / "flights")
    assert started.seen[-1].body == seen.body, "the same files are the same artifact"


def test_submit_leaves_out_what_is_not_the_jobs_and_says_so(
    call: Call, started: ScriptedServer, tmp_path: Path
) -> None:
    folder, elsewhere = tmp_path / "flights", tmp_path / "elsewhere"
    for name in ("main.py", ".env", ".aws/credentials", "jobs/.netrc", "jobs/a.py", "env/pyvenv.cfg", "env/lib/x.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    elsewhere.mkdir()
    for name in ("key.pem", "deep/model.bin"):
        (elsewhere / name).parent.mkdir(exist_ok=True)
        (elsewhere / name).write_text(name)
    (folder / "key.pem").symlink_to(elsewhere / "key.pem")
    (folder / "jobs" / "data").symlink_to("../../elsewhere")
    (folder / "same.py").symlink_to("main.py")
    (folder / "env.txt").symlink_to(".env")
    (folder / "gone").symlink_to(elsewhere / "nothing")

    def uploaded(*options: str) -> tuple[list[str], str]:
        shown = call("submit", "--detach", *options, "-m", "main", folder)
        assert shown.exit_code == 0 and shown.stdout == f"{JID}\n"
        body = next(one.body for one in reversed(started.seen) if one.query)
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return archive.namelist(), shown.stderr

    names, said = uploaded()
    assert names == ["jobs/a.py", "main.py", "same.py"]
    for name in (".env", ".aws", "jobs/.netrc", "env", "key.pem", "jobs/data", "env.txt", "gone"):
        assert f"  {name}: " in said
    assert "--include PATTERN" in said
    names, said = uploaded("--include", ".env", "--include", "jobs/data/")
    assert names == [".env", "jobs/a.py", "jobs/data/deep/model.bin", "jobs/data/key.pem", "main.py", "same.py"]
    assert "  .env: " not in said and "  .aws: " in said


def test_submit_an_artifact_by_its_id(call: Call, started: ScriptedServer) -> None:
    started.on("GET /artifacts", {"files": [ARTIFACT]})
    assert call("submit", "--detach", "a1b").stdout == f"{JID}\n"
    for text in ("job.py", "nothing"):
        shown = call("submit", text)
        assert shown.exit_code == 2 and "no such file or folder" in shown.stderr


@pytest.mark.parametrize(
    ("ended", "code"),
    [
        ({"state": "FINISHED", "exit_code": 0}, 0),
        ({"state": "FAILED", "exit_code": 2, "error": "no sink"}, 2),
        ({"state": "FAILED", "exit_code": None, "error": "it has gone"}, 1),
        ({"state": "FAILED", "exit_code": -9}, 137),
        ({"state": "CANCELED", "exit_code": 0}, 130),
    ],
)
def test_wait_ends_with_the_jobs_exit_code(
    call: Call, started: ScriptedServer, tmp_path: Path, ended: dict[str, Any], code: int
) -> None:
    (tmp_path / "job.py").write_text("")
    started.on(f"GET /jobs/{JID}", job_json(), job_json(**ended))
    started.on(f"GET /jobs/{JID}/exceptions", {"exceptions": [{"function": "f", "file": "job.py", "line": 3}]})
    shown = call("submit", "--wait", tmp_path / "job.py")
    assert shown.exit_code == code
    started.on(f"GET /jobs/{JID}", job_json(**ended))
    assert (
        call("submit", tmp_path / "job.py").exit_code == {"FINISHED": 0, "FAILED": 1, "CANCELED": 130}[ended["state"]]
    )
    if ended["state"] == "FAILED":
        assert f"the job failed: {ended.get('error') or 'no reason'}" in shown.stderr
        assert "function f, job.py:3" in shown.stderr and "datastream jobs logs" in shown.stderr


def test_a_job_that_fails_without_an_exception_shows_what_it_logged(
    call: Call, started: ScriptedServer, tmp_path: Path
) -> None:
    (tmp_path / "job.py").write_text("")
    started.on(f"GET /jobs/{JID}", job_json(state="FAILED", error="the driver ended with code 2"))
    started.on(f"GET /jobs/{JID}/exceptions", {"exceptions": []})
    log = b'{"event": "start", "level": "info"}\n{"event": "job.py ended without a job", "level": "warning"}\n'
    started.on(f"GET /jobs/{JID}/logs", Answer(log))
    shown = call("submit", tmp_path / "job.py")
    assert shown.exit_code == 1 and "code 2\nwarning   job.py ended without a job\n" in shown.stderr
    assert "start" not in shown.stderr


def test_submit_with_wrong_options(call: Call, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("")
    for wrong in (["--detach", "--wait"], ["-D", "x"], ["-p", "0"]):
        assert call("submit", *wrong, tmp_path / "job.py").exit_code == 2
    (tmp_path / "empty").mkdir()
    shown = call("submit", tmp_path / "empty")
    assert shown.exit_code == 1 and "has no files" in shown.stderr


def test_artifacts(call: Call, server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.on("GET /artifacts", {"files": []}, {"files": [ARTIFACT, {**ARTIFACT, "id": "e5", "name": "../../evil.py"}]})
    assert "has no artifacts" in call("artifacts", "ls").stderr
    assert call("artifacts", "ls").stdout.splitlines()[1].startswith("a1b2c3    script  12 B  ")
    assert json.loads(call("artifacts", "ls", "--json").stdout.splitlines()[0])["name"] == "job.py"
    monkeypatch.chdir(tmp_path)
    for one in ("a1b2c3", "e5"):
        server.on(f"GET /artifacts/{one}/content", Answer(b"content"))
    assert call("artifacts", "download", "a1").stdout == "job.py\n"
    again = call("artifacts", "download", "a1")
    assert again.exit_code == 1 and "job.py exists" in again.stderr
    assert call("artifacts", "download", "-o", "other.py", "a1").exit_code == 0
    assert call("artifacts", "download", "e5").stdout == "evil.py\n"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["evil.py", "job.py", "other.py"]
    server.on("DELETE /artifacts/a1b2c3", {})
    assert call("artifacts", "rm", "job.py").stdout == "a1b2c3\n"


def test_the_plan_of_an_artifact(call: Call, server: ScriptedServer) -> None:
    server.on("GET /artifacts", {"files": [ARTIFACT]})
    nodes = [
        {"id": 0, "uid": "a", "name": "Source", "kind": "source", "parallelism": 2, "predecessors": []},
        {"id": 1, "uid": "b", "name": "Sum", "kind": "reduce", "parallelism": 2,
         "predecessors": [{"id": 0, "ship_strategy": "HASH", "side_output": None}]},
    ]  # fmt: skip
    server.on("POST /artifacts/a1b2c3/plan", {"plan": {"name": "wc"}, "graph": {"nodes": nodes}})
    assert call("artifacts", "plan", "-p", 2, "a1", "--", "--input", "x").stdout.splitlines() == [
        "wc: 2 operators",
        "id  kind    parallelism  input   uid  name",
        "0   source  2            -       a    Source",
        "1   reduce  2            0 HASH  b    Sum",
    ]
    assert server.seen[-1].json == {"parallelism": 2, "programArgsList": ["--input", "x"]}
    assert json.loads(call("artifacts", "plan", "--format", "json", "a1").stdout)["graph"]["nodes"] == nodes
    server.on("POST /artifacts/a1b2c3/plan", refusal(400, "job.py, line 3: no sink"))
    shown = call("artifacts", "plan", "a1")
    assert shown.exit_code == 1 and "line 3: no sink" in shown.stderr


def test_errors_name_what_is_wrong(call: Call, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.on("GET /jobs/overview", refusal(401, "the token does not count"))
    shown = call("jobs", "ls")
    assert shown.exit_code == 1 and shown.stderr.endswith("The token: DATASTREAM_GATEWAY_TOKEN\n")
    assert "secret-token" not in shown.output
    shown = call("jobs", "ls", "--gateway", "foo")
    assert shown.exit_code == 2 and "--gateway: expected a URL" in shown.stderr
    shown = call("jobs", "ls", "--token-file", "/none")
    assert shown.exit_code == 2 and "--token-file /none cannot be read" in shown.stderr
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    shown = call("jobs", "ls", "--gateway", url)
    assert shown.exit_code == 1 and f"no gateway answers at {url}" in shown.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(call: Call, shell: str) -> None:
    assert f"_DATASTREAM_COMPLETE={shell}_complete" in call("completion", shell).stdout


def complete(words: str, **environ: str) -> list[str]:
    """What the shell would offer for the last of the words."""
    number = len(words.split(" ")) - 1
    run = subprocess.run(
        [sys.executable, "-m", "datastream.cli"],
        env={**os.environ, "COMP_WORDS": words, "COMP_CWORD": str(number), "_DATASTREAM_COMPLETE": "bash_complete",
             **environ},
        capture_output=True,
        text=True,
        timeout=60,
    )  # fmt: skip
    assert run.stderr == ""
    return [line.partition(",")[2] for line in run.stdout.splitlines() if line]


@pytest.mark.usefixtures("jobs", "call")
def test_completion_of_commands_jobs_and_artifacts(server: ScriptedServer) -> None:
    server.on("GET /artifacts", {"files": [ARTIFACT]})
    assert complete("datastream j") == ["jobs"]
    assert complete("datastream jobs s") == ["savepoint", "show", "stop"]
    assert complete("datastream jobs show 3") == [JID, OTHER]
    assert complete("datastream jobs cancel su") == ["sums"]
    assert complete("datastream jobs rm ") == ["77" * 16]
    assert complete("datastream artifacts rm ") == ["a1b2c3", "job.py"]
    assert complete("datastream submit a1") == ["a1", "a1b2c3"]


@pytest.mark.usefixtures("call")
def test_completion_is_silent_without_a_gateway(server: ScriptedServer) -> None:
    server.on("GET /jobs/overview", refusal(401, "no"))
    assert complete("datastream jobs show ") == []
    assert complete("datastream jobs show --gateway foo ") == []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert complete(f"datastream jobs show --gateway http://127.0.0.1:{silent.getsockname()[1]} ") == []
