"""What functions log reaches the job's log, from the processes that a run starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.cluster import Cluster
from tests.support.processes import Run, Runs

pytestmark = pytest.mark.long  # many processes of their own

JOB = """
import logging, os, signal, sys
import structlog
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment

LOG, STRUCTURED = logging.getLogger("mine"), structlog.get_logger()


class Sum(KeyedProcessFunction):
    def open(self, runtime_context):
        LOG.info("opened")

    def process_element(self, value, ctx):
        STRUCTURED.info("summed", value=value)
        yield value


def inverse(value):
    LOG.debug("not shown")
    try:
        return 1 / value
    except ZeroDivisionError:
        LOG.exception("no inverse of %d", value)  # the error's line
        return 0


def chatty(value):
    for number in range(200):
        LOG.info("number %d", number)
    return value


def mortal(value):
    if not os.path.exists("died"):
        open("died", "w").close()
        LOG.warning("last words")
        os.kill(os.getpid(), signal.SIGKILL)
    return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([0, 1, 2]).map(inverse).uid("inverse").name("inverses")
if "killed" in sys.argv:
    numbers = numbers.map(mortal).uid("mortal")
numbers.map(chatty).uid("chatty").key_by(lambda n: n).process(Sum()).uid("sum").name("Sum").print()
env.execute("logs")
"""

PARTS = """
import logging
from pyflink.common import Time, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    AsyncDataStream, AsyncFunction, KeyedProcessFunction, ProcessWindowFunction, StreamExecutionEnvironment
)
from pyflink.datastream.window import TumblingEventTimeWindows
from datastream.io import Committer, Sink, SinkWriter

LOG = logging.getLogger("mine")


class Times(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        LOG.info("assigned")
        return value


class Window(ProcessWindowFunction):
    def process(self, key, context, elements):
        LOG.info("fired")
        yield key


class Ask(AsyncFunction):
    async def async_invoke(self, value):
        LOG.info("asked")
        return [value]

    def timeout(self, value):
        return []


class Timers(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(5)
        yield value

    def on_timer(self, timestamp, ctx):
        LOG.info("timer")
        return []

    def close(self):
        LOG.info("closed")


class System(Sink):
    def create_writer(self, context):
        context.logger.info("created")
        return Writer()

    def create_committer(self, context):
        return Commits()


class Writer(SinkWriter):
    def write(self, batch):
        LOG.info("written")

    def prepare_commit(self):
        LOG.info("prepared")
        return 1


class Commits(Committer):
    def commit(self, epoch, committables, final):
        LOG.info("committed")


def key(value):
    LOG.info("key")
    return 0


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Times())
stream = env.from_collection([1, 2]).assign_timestamps_and_watermarks(strategy).uid("times")
windows = stream.key_by(key).window(TumblingEventTimeWindows.of(Time.milliseconds(5))).process(Window()).uid("windows")
AsyncDataStream.unordered_wait(windows, Ask(), Time.seconds(60)).uid("ask").sink_to(System()).uid("sink")
stream.key_by(lambda n: 0).process(Timers()).uid("timers").print()
env.execute("parts")
"""


def entries(run: Run) -> list[dict]:
    return [json.loads(line) for line in run.err.splitlines()]


def check_fields(run: Run, script: Path) -> None:
    found = entries(run)
    mine = {entry["event"]: entry for entry in found if entry["logger"] in ("mine", "__main__")}
    failed = mine["no inverse of 0"]
    place = ("level", "job", "operator", "uid", "subtask", "epoch")
    assert [failed[key] for key in place] == ["error", "logs", "inverses", "inverse", 0, 0]
    assert f'File "{script}", line ' in failed["exception"]
    assert failed["exception"].endswith("ZeroDivisionError: division by zero")
    assert [mine["opened"][key] for key in place] == ["info", "logs", "Sum", "sum", 0, 0]
    assert (mine["summed"]["uid"], mine["summed"]["logger"]) == ("sum", "__main__")
    assert "not shown" not in mine
    shown = sum(entry["event"].startswith("number ") for entry in found)
    left_out = sum(entry.get("left_out", 0) for entry in found if entry.get("uid") == "chatty")
    assert 100 <= shown <= 500  # on a slow machine the line's second ends some times
    assert (shown + left_out) % 600 == 0
    assert {entry["job"] for entry in found if entry["event"] in ("start", "epoch", "end")} == {"logs"}


def test_a_worker_is_killed(runs: Runs, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(JOB)
    checkpointing = ("-D", "execution.checkpointing.interval=10")
    run = runs.job("--log-format", "json", "--log-file", "-", *checkpointing, script, "killed")
    run.succeed()
    found = entries(run)
    (last,) = (entry for entry in found if entry["event"] == "last words")
    assert (last["uid"], last["epoch"]) == ("mortal", 0)
    assert any(entry["logger"].startswith("org.apache.spark.") for entry in found), "Spark's own log"
    assert {entry["level"] for entry in found} <= {"info", "warning", "error"}
    assert any("exception" in entry for entry in found if entry["logger"].startswith("org.apache.spark."))
    assert sum(entry["event"] == "no inverse of 0" for entry in found) == 2, "the epoch ran twice"
    check_fields(run, script)


def test_local_executor(runs: Runs, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(JOB)
    run = runs.job("--log-format", "json", "--executor", "local", script)
    run.succeed()
    check_fields(run, script)


def test_each_part_of_a_job_is_named(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(PARTS)
    run = runs.job("--log-format", "json", "--executor", "local", "parts.py")
    run.succeed()
    place = ("uid", "subtask", "epoch")
    found = {entry["event"]: [entry.get(key) for key in place] for entry in entries(run) if "uid" in entry}
    whose = {"assigned": "times", "key": "windows", "fired": "windows", "asked": "ask", "timer": "timers"}
    whose |= {"closed": "timers", "created": "sink", "written": "sink", "prepared": "sink"}
    assert found == {**{event: [uid, 0, 0] for event, uid in whose.items()}, "committed": ["sink", None, 0]}


def test_text(runs: Runs, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(JOB)
    run = runs.job("--executor", "local", "--no-progress", script)
    run.succeed()
    lines = run.err.splitlines()
    (failed,) = (line for line in lines if "no inverse of 0" in line)
    assert "[error" in failed and "operator=inverses" in failed and "epoch=0" in failed
    assert "  ZeroDivisionError: division by zero" in lines


def test_a_script_that_configures_logging_has_its_way(runs: Runs, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text("import logging\nlogging.basicConfig(level=30, format='mine: %(levelname)s %(message)s')\n" + JOB)
    for executor in ("local", "spark"):
        run = runs.job("--executor", executor, "--no-progress", script)
        run.succeed()
        assert "mine: ERROR no inverse of 0\nTraceback " in run.err, executor
        assert "number 1" not in run.err


@pytest.mark.long
def test_on_a_cluster(runs: Runs, cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(JOB)
    options = ("--master", cluster.master, "-D", f"spark.pyspark.python={cluster.python}")
    runs.job(*options, "job.py").succeed(limit_s=240)
    lines = [line for log in tmp_path.glob("cluster/work-*/*/*/stderr") for line in log.read_text().splitlines()]
    found = {entry["event"]: entry for line in lines if line.startswith("{") for entry in [json.loads(line)]}
    failed = found["no inverse of 0"]
    assert [failed[key] for key in ("job", "uid", "subtask", "epoch")] == ["logs", "inverse", 0, 0]
    assert failed["exception"].endswith("ZeroDivisionError: division by zero")
