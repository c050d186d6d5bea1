"""A runner from start to end: what it runs, how it answers, and with which code it ends. Jobs run without Spark."""

from __future__ import annotations

import io
import socket
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.services.conftest import Runners

JOB = """
import sys
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(sys.argv[1:]).print()
env.execute("words")
"""
#: Records come slowly; each is written once it is through.
SLOW = """
import sys, time
from pathlib import Path
from pyflink.datastream import StreamExecutionEnvironment
from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink

out, seconds = Path(sys.argv[1]), float(sys.argv[2])

def slow(n):
    (out / "begun").touch()
    time.sleep(seconds)
    with (out / "seen").open("a") as file:
        file.write(f"{n}\\n")
    return n

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = env.from_source(DataGeneratorSource(int, rate_per_second=1), WatermarkStrategy.no_watermarks(), "numbers")
source.map(slow).sink_to(DiscardingSink())
env.execute("slow")
(out / "behind").touch()
env.from_collection([1]).print()
env.execute("another job")
"""


def zipped(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def tarred(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(text.encode())
            archive.addfile(about, io.BytesIO(text.encode()))
    return path


PACKED = "from jobs.words import run\nrun()\n"
PACKAGE = {
    "jobs/__init__.py": "",
    "jobs/words.py": "def run():\n" + "".join(f"    {line}\n" for line in JOB.splitlines()),
}


def test_a_script_a_module_and_archives_are_jobs(runners: Runners) -> None:
    folder = runners.folder
    script = runners.script(JOB)
    (folder / "package").mkdir()
    (folder / "package" / "__main__.py").write_text(JOB)
    main = zipped(folder / "main.pyz", {"__main__.py": PACKED, **PACKAGE})
    wheel = zipped(
        folder / "jobs-1-py3-none-any.whl", {**PACKAGE, "jobs/__main__.py": PACKED, "jobs-1.dist-info/x": ""}
    )
    tar = tarred(folder / "jobs.tar.gz", {"other.py": PACKED, **PACKAGE})
    started = [
        runners.local("--", script, "a", "-b"),
        runners.local("-m", "package", "a", "-b"),
        runners.local("--archive", main, "a", "-b"),
        runners.local("--archive", wheel, "a", "-b"),
        runners.local("--archive", tar, "-m", "other", "a", "-b"),
        runners.local(DATASTREAM_SCRIPT=str(script), DATASTREAM_ARGS="a -b"),
    ]
    for runner in started:
        assert runner.run.succeed() == "a\n-b\n", runner.run.told()
        assert runner.events("exit")[0]["code"] == 0
        runner.run.assert_tidy()


def test_settings_are_logged_once_with_their_origins(runners: Runners) -> None:
    file = runners.folder / "job.yaml"
    file.write_text(f"script: {runners.script(JOB)}\nproperties:\n  spark.ssl.keyPassword: my-secret\n")
    runner = runners.local("--config", file, "-D", "spark.a=1", DATASTREAM_NAME="x", DATASTREAM_WHATEVER="1")
    runner.run.succeed()
    [event] = runner.events("settings")
    shown = event["settings"]
    assert shown["name"] == {"value": "x", "from": "DATASTREAM_NAME"}
    assert shown["spark.ssl.keyPassword"] == {"value": "[hidden]", "from": f"{file}:3"}
    assert shown["spark.a"] == {"value": "1", "from": "-D"}
    assert "my-secret" not in runner.run.err
    assert runner.events("ignored")[0]["variable"] == "DATASTREAM_WHATEVER"
    people = runners.local("--config", file, "--log-format", "console")
    people.run.succeed()
    assert f"[hidden]  ({file}:3)" in people.run.err and "my-secret" not in people.run.err


LEAKS = """
import sys
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
password = sys.argv[2]

def connect(x):
    raise ConnectionError(f"amqp://me:{password}@host refuses me and {password}")

env.from_collection([1]).map(connect).print()
env.execute("leaks")
"""


@pytest.mark.parametrize("form", ["json", "console"])
def test_what_the_runner_tells_of_a_failure_holds_no_secret(runners: Runners, form: str) -> None:
    script = runners.script(LEAKS)
    runner = runners.local("--log-format", form, "--", script, "--password", "hunter2x")
    assert runner.run.wait() == 1, runner.run.told()
    assert "refuses me and [hidden]" in runner.run.err
    assert "hunter2x" not in runner.run.err + runner.run.out


WRONG_CODE = {
    "a job that fails at once": (JOB.replace(".print()", ".map(lambda x: 1 / 0).print()"), 1, "ZeroDivisionError"),
    "no job": ("print('no job')", 2, "it never called env.execute"),
    "a missing package": ("import no_such_package", 2, "no package 'no_such_package': install it in the job's image"),
    "a package that a function misses": (
        JOB.replace(".print()", ".map(lambda x: __import__('no_such_package')).print()"),
        2,
        "No module named 'no_such_package'",
    ),
    "a script's own code": ("raise SystemExit(7)", 7, '"code": 7'),
    "an unknown setting": (JOB, 2, "did you mean datastream.epoch.target-ms"),
}


@pytest.mark.long
@pytest.mark.parametrize("what", WRONG_CODE)
def test_how_a_wrong_job_ends(runners: Runners, what: str) -> None:
    code, expected, said = WRONG_CODE[what]
    more = ["-D", "datastream.epoch.target=1"] if what == "an unknown setting" else []
    runner = runners.local(*more, runners.script(code), "a")
    assert runner.run.wait() == expected, runner.run.told()
    assert said in runner.run.err
    assert runner.events("exit")[0]["code"] == expected


def test_what_cannot_be_run_is_refused(runners: Runners) -> None:
    folder = runners.folder
    (folder / "text.zip").write_text("no archive")
    (folder / "typo.yaml").write_text("paralelism: 2\n")
    refused = {
        "typo.yaml:1: there is no setting 'paralelism'; did you mean parallelism?": [
            "--config",
            "typo.yaml",
            "-m",
            "x",
        ],
        "there is no module 'no.such.module'": ["-m", "no.such.module"],
        "text.zip cannot be read": ["--archive", "text.zip"],
        "no package with one; name the job's module with -m": ["--archive", zipped(folder / "a.zip", {"x.py": ""})],
        "several packages with one": [
            "--archive",
            zipped(folder / "b.zip", {"a/__main__.py": "", "b/__main__.py": ""}),
        ],
        "its member '../out.py' leads out of it": ["--archive", tarred(folder / "c.tgz", {"../out.py": ""})],
        "nothing says which job to run": [],
    }
    started = {said: runners.local(*args) for said, args in refused.items()}
    for said, runner in started.items():
        assert runner.run.wait() == 2, runner.run.told()
        assert said in runner.run.err, runner.run.told()
        runner.run.assert_tidy()


def test_a_port_that_is_taken(runners: Runners) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        runner = runners.local("--port", port, runners.script(JOB))
        assert runner.run.wait() == 3, runner.run.told()
    assert f"the port 127.0.0.1:{port} is taken by another process" in runner.run.err
    elsewhere = runners.local("--address", "192.0.2.1", runners.script(JOB))
    assert elsewhere.run.wait() == 2
    assert "no endpoints at 192.0.2.1:0" in elsewhere.run.err


def test_sigterm_ends_the_epoch_in_hand_and_no_job_follows(runners: Runners) -> None:
    folder = runners.folder
    runner = runners.local(runners.script(SLOW), folder, 1)
    runner.run.until(lambda: (folder / "begun").exists(), "record")
    runner.until_ready()
    status, about = runner.get("/")
    assert status == 200 and about["job"] == "slow" and about["status"] == "running" and about["restarts"] == 0
    assert about["versions"]["datastream"]
    assert runner.terminate() == 0, runner.run.told()
    epochs = runner.events("epoch")
    seen = (folder / "seen").read_text().split()
    assert sum(epoch["records_in"] for epoch in epochs) == len(seen), "each record that was begun is committed"
    assert (folder / "behind").exists(), "the script goes on behind its job"
    assert [event["job"] for event in runner.events("start")] == ["slow"], "but starts no other"
    assert runner.events("exit")[0] == {**runner.events("exit")[0], "code": 0, "asked": True}


@pytest.mark.long
def test_sigterm_while_a_later_job_starts_ends_it_behind_its_epoch(runners: Runners) -> None:
    folder = runners.folder
    slow_start = f"""
import sys, time
from pathlib import Path
from datastream.local import executor
take = executor.job_log.take_functions  # amid a job's start
def starts_slowly(log):
    if (Path(sys.argv[1]) / "first").exists():
        (Path(sys.argv[1]) / "starting").touch()
        time.sleep(4)
    (Path(sys.argv[1]) / "first").touch()
    take(log)
executor.job_log.take_functions = starts_slowly
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).print()
env.execute("first")
{SLOW}"""
    runner = runners.local(runners.script(slow_start), folder, 1)
    runner.run.until(lambda: (folder / "starting").exists(), "start of the second job")
    assert runner.terminate() == 0, runner.run.told()
    seen = (folder / "seen").read_text().split() if (folder / "seen").exists() else []
    begun = int((folder / "begun").exists())
    assert len(seen) >= begun, "each record that was begun is through"
    assert sum(e["records_in"] for e in runner.events("epoch") if e["job"] == "slow") == len(seen)
    assert (folder / "behind").exists(), "the script goes on behind its job"


@pytest.mark.long
def test_sigterm_gives_an_epoch_up_that_takes_longer_than_the_grace_period(runners: Runners) -> None:
    runner = runners.local("--grace", 0.5, runners.script(SLOW), runners.folder, 600)
    runner.run.until(lambda: (runners.folder / "begun").exists(), "record")
    assert runner.terminate() == 143, runner.run.told()
    assert "the epoch in hand is given up" in runner.run.err


WAITING = "from pathlib import Path\nimport time\nPath('x').touch()\ntime.sleep(600)"


# Python itself counts an interrupt that leaves a text given to `exec`, as modules do when they are imported.
@pytest.mark.parametrize("text", [WAITING, f"exec({WAITING!r})"], ids=["plain", "exec"])
def test_sigterm_before_the_job_has_started(runners: Runners, text: str) -> None:
    runner = runners.local(runners.script(text))
    runner.run.until((runners.folder / "x").exists, "script")
    assert runner.get("/healthz") == (200, {"status": "starting"})
    assert runner.get("/readyz")[0] == 503
    assert runner.terminate() == 0, runner.run.told()


#: Ends the process that imports it by SIGTERM, once, behind a call of one of its functions.
ENDING_BEHIND = """
import os, signal
import {module} as module

real = module.{name}

def call(*arguments):
    found = real(*arguments)
    os.kill(os.getpid(), signal.SIGTERM)
    return found

module.{name} = call
"""


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("datastream.services.runner.http_server", "HttpServer"),
        ("datastream.driver.run", "listen"),
        ("datastream.services.runner.job_code", "job_code"),
    ],
)
def test_sigterm_at_each_moment_before_the_jobs_code_runs(runners: Runners, module: str, name: str) -> None:
    runners.script(ENDING_BEHIND.format(module=module, name=name), "sitecustomize.py")
    runner = runners.local(runners.script("raise SystemExit(7)"), PYTHONPATH=str(runners.folder))
    assert runner.run.wait() == 0, runner.run.told()


def test_a_script_that_waits_for_something_else_is_interrupted_at_the_end(runners: Runners) -> None:
    text = SLOW.replace('env.execute("slow")', 'env.execute_async("slow")\nwhile True: time.sleep(600)')
    runner = runners.local(runners.script(text), runners.folder, 0.1)
    runner.run.until(lambda: (runners.folder / "seen").exists(), "record")
    assert runner.terminate() == 0, runner.run.told()
    assert not (runners.folder / "behind").exists()


def test_a_stuck_epoch_is_unhealthy(runners: Runners) -> None:
    runner = runners.local("--stuck-after", 1, runners.script(SLOW), runners.folder, 600)
    runner.run.until(lambda: (runners.folder / "begun").exists(), "record")
    runner.run.until(lambda: runner.get("/healthz")[0] == 503, "stuck epoch")
    status, about = runner.get("/healthz")
    assert (status, about["status"]) == (503, "stuck")
    assert "the job 'slow' has committed nothing for" in about["reason"]
    runner.run.process.kill()


@pytest.mark.long
def test_a_job_without_input_is_healthy_and_ready(runners: Runners) -> None:
    text = SLOW.replace("rate_per_second=1)", "rate_per_second=0.001)")
    runner = runners.local("--stuck-after", 2, runners.script(text), runners.folder, 0)
    runner.until_ready()
    runner.run.until(lambda: runner.get("/")[1]["uptime_s"] > 6, "time")
    assert runner.get("/healthz")[0] == 200
    assert runner.get("/readyz")[0] == 200
    assert runner.terminate() == 0


def test_a_job_that_restarts_is_healthy_but_not_ready(runners: Runners) -> None:
    text = JOB.replace(".print()", ".map(lambda x: 1 / 0).print()")
    restarts = {"type": "fixed-delay", "fixed-delay.attempts": "100", "fixed-delay.delay": "1 min"}
    flags = [part for key, value in restarts.items() for part in ("-D", f"restart-strategy.{key}={value}")]
    runner = runners.local("--stuck-after", 600, *flags, runners.script(text), "a")
    runner.run.until(lambda: bool(runner.events("restart")), "restart")
    assert runner.get("/healthz") == (200, {"status": "restarting"})
    assert runner.get("/readyz") == (503, {"status": "restarting", "reason": "the job is restarting"})
    assert runner.get("/")[1]["restarts"] == 1
    assert runner.terminate() == 0, "a job that waits for its restart ends at once"


@pytest.mark.long
def test_a_broker_that_is_away_at_the_start(runners: Runners) -> None:
    pytest.importorskip("confluent_kafka")
    script, port = runners.reader_of_an_absent_broker()
    runner = runners.local(script)
    assert runner.run.wait() == 1, "to be tried again"
    assert f"127.0.0.1:{port}" in runner.events("failed")[0]["error"]


def test_pages(runners: Runners) -> None:
    runner = runners.local(runners.script(SLOW), runners.folder, 0)
    runner.until_ready()
    status, said = runner.get("/nothing")
    assert status == 404 and said["pages"] == ["/", "/healthz", "/metrics", "/readyz"]
    port = runner.events("listening")[0]["port"]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics?x=1") as page:
        assert page.headers["Content-Type"].startswith("text/plain; version=")
        assert b"process_resident_memory_bytes" in page.read()
    assert runner.terminate() == 0


#: Jobs that the script does not wait for: with an end, without one, and one that fails.
LEFT = """
import sys
from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from datastream.connectors import DataGeneratorSource, DiscardingSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
for what in sys.argv[1:]:
    if what == "endless":
        source = DataGeneratorSource(int, rate_per_second=50)
        env.from_source(source, WatermarkStrategy.no_watermarks(), "ticks").sink_to(DiscardingSink())
    else:
        env.from_collection([3, 2, int(what)]).map(lambda n: 6 // n).print()
    env.execute_async(what)
"""


def test_jobs_that_the_script_leaves_are_waited_for(runners: Runners) -> None:
    script = runners.script(LEFT)
    started = [
        runners.local("--", script, "1", "6"),
        runners.local("--", script, "1", "0", "endless"),
        runners.local("--", script, "endless", "endless"),
    ]
    finishing, failing, endless = started
    assert sorted(finishing.run.succeed().split()) == sorted("236231")
    assert failing.run.wait() == 1
    assert [event["type"] for event in failing.events("failed")] == ["FunctionError"]
    assert sorted(event["job"] for event in failing.events("end")) == ["0", "1", "endless"]
    endless.run.until(lambda: len({event["job"] for event in endless.events("epoch")}) == 1, "epochs")
    endless.run.until(lambda: len(endless.events("epoch")) > 5, "epochs of both")
    assert endless.terminate() == 0, endless.run.told()
    assert [event["status"] for event in endless.events("end")] == ["FINISHED", "FINISHED"]
    for each in started:
        assert "Traceback" not in each.run.err.replace('"trace": "Traceback', "")
        assert each.events("exit")[-1]["code"] == each.run.process.returncode


def test_a_savepoint_of_several_jobs_is_refused(runners: Runners) -> None:
    runner = runners.steered("--executor", "local", "--", runners.script(LEFT), "endless", "endless")
    runner.run.until(lambda: len(runner.events("start")) == 2 and len(runner.events("epoch")) > 2, "jobs")
    for order in ("/job/savepoint", "/job/stop"):
        status, answer = runner.ask(order, {})
        assert status == 409 and "the script runs 2 jobs ('endless', 'endless')" in answer["error"]
    assert runner.ask("/job/cancel", {})[0] == 202
    assert runner.run.wait() == 0, runner.run.told()
    assert [event["status"] for event in runner.events("end")] == ["CANCELED", "CANCELED"]
