"""The command line, as far as it needs no engine."""

from __future__ import annotations

import gc
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from click.testing import CliRunner, Result

from datastream.cli.commands import cli
from datastream.config.settings import EpochSummary, settings
from datastream.connectors import NumberSequenceSource
from datastream.connectors.collect_sink import CollectSink
from datastream.connectors.discard_sink import DiscardingSink
from datastream.driver.progress import Progress, Tally, instant
from datastream.graph import Edge, JobGraph
from datastream.graph.operators import Sink, Source
from datastream.io import Sink as SystemSink
from datastream.runtime.program import GC_THRESHOLDS

JOB = """
import sys
from datastream.config.settings import PlanCaptured, settings
from datastream.connectors import NumberSequenceSource
from datastream.graph import Edge, Hash, JobGraph
from datastream.graph.operators import Reduce, Source
print("hello from the script", sys.argv[1:])
graph = JobGraph(
    "fake",
    (Source(0, "numbers", NumberSequenceSource(0, 9)), Reduce(1, "sum", max)),
    (Edge(0, 0, 1, Hash(len)),),
)
settings().on_execute(graph)
raise PlanCaptured
"""


@pytest.fixture(autouse=True)
def in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("datastream.driver.script.install", lambda: None)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)


def call(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args], catch_exceptions=False)


def script(folder: Path, text: str) -> Path:
    path = folder / "job.py"
    path.write_text(text)
    return path


def test_help_lists_all_commands() -> None:
    shown = call("--help").output
    for name in ("run", "sql", "plan", "warm", "doctor"):
        assert f"  {name} " in shown


@pytest.mark.parametrize("name", ["run", "sql", "plan", "warm", "doctor"])
def test_every_command_has_help(name: str) -> None:
    assert call(name, "--help").exit_code == 0


def test_version() -> None:
    assert call("--version").output.startswith("datastream")


def test_unknown_command_is_a_usage_error() -> None:
    assert call("rnu").exit_code == 2


def test_importing_the_command_line_imports_nothing_heavy() -> None:
    heavy = "{'click', 'rich', 'structlog', 'pyspark', 'pandas', 'pyarrow'}"
    code = f"import sys, datastream.cli; print({heavy} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_run_hands_options_to_settings_and_arguments_to_the_script(tmp_path: Path) -> None:
    job = script(tmp_path, "import sys, pathlib; print(sys.argv[1:], __name__, sys.path[0])")
    shown = call(
        "run", "-p", 3, "--master", "local[2]", "--checkpoint-dir", "/x", "--name", "n",
        "--executor", "local", "-D", "spark.a=1=2", "-D", "b=", job, "--input", "f", "-p",
    )  # fmt: skip
    assert shown.exit_code == 0
    assert shown.stdout == f"['--input', 'f', '-p'] __main__ {tmp_path.resolve()}\n"
    given = settings()
    assert (given.parallelism, given.master, given.checkpoint_dir) == (3, "local[2]", "/x")
    assert (given.name, given.executor, given.verbose) == ("n", "local", False)
    assert given.properties == {"spark.a": "1=2", "b": ""}


@pytest.mark.parametrize("wrong", [("-D", "nothing"), ("-D", "=1"), ("-p", "0"), ("--executor", "flink")])
def test_wrong_options_are_usage_errors(tmp_path: Path, wrong: tuple[str, str]) -> None:
    assert call("run", *wrong, script(tmp_path, "")).exit_code == 2


STARTED = "from datastream.config.settings import settings\nsettings().jobs_started += 1\n"
FAILURES = {
    STARTED + "from datastream.errors import JobError\nraise JobError('it broke')": (
        1,
        "it broke",
    ),
    "from datastream.errors import ValidationError\nraise ValidationError('no sink')": (2, "no sink"),
    STARTED + "from datastream.errors import CheckpointMismatch\nraise CheckpointMismatch('other')": (2, "other"),
    STARTED + "from datastream.errors import CheckpointInUse\nraise CheckpointInUse('held')": (1, "held"),
    STARTED + "from datastream.errors import NotSerializableError\nraise NotSerializableError('lock')": (2, "lock"),
    STARTED + "1 / 0": (1, "ZeroDivisionError: division by zero"),
    "1 / 0": (2, "ZeroDivisionError: division by zero"),
    "import nothing_of_that_name": (
        2,
        "No module named 'nothing_of_that_name'\n  if only functions need it, import it",
    ),
    "from datastream import StreamExecutionEnvironment\n"
    "env = StreamExecutionEnvironment.get_execution_environment()\n"
    "env.from_collection([1]).map(lambda x: __import__('nothing_of_that_name')).print()\n"
    "env.execute()": (1, "bring it with the job, by a requirements file"),
    "f(": (2, "SyntaxError"),
    "open('/no/such/file')": (1, "No such file or directory"),
    "raise ConnectionError('refused')": (1, "refused"),
    "from datastream.connectors.kafka.client.errors import BrokersAway\nraise BrokersAway('away')": (1, "away"),
    "raise KeyboardInterrupt": (130, "cancelled"),
    "raise SystemExit(7)": (7, ""),
    "raise SystemExit('stop here')": (1, "stop here"),
}


@pytest.mark.parametrize("text", FAILURES)
def test_a_failure_gives_its_exit_code_and_message(tmp_path: Path, text: str) -> None:
    code, message = FAILURES[text]
    shown = call("run", "--executor", "local", script(tmp_path, text))
    assert shown.exit_code == code
    assert message in shown.stderr


def test_a_process_that_runs_tasks_collects_garbage_as_workers_do(tmp_path: Path) -> None:
    shown = call("run", "--executor", "local", script(tmp_path, "import gc; print(gc.get_threshold())"))
    assert shown.stdout == f"{GC_THRESHOLDS}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("values = [1]\nprint(valeus)", "NameError: name 'valeus' is not defined. Did you mean: 'values'?\n"),
        ("import math\nmath.sqr", "module 'math' has no attribute 'sqr'. Did you mean: 'sqrt'?\n"),
    ],
)
def test_a_failure_keeps_pythons_suggestion(tmp_path: Path, text: str, message: str) -> None:
    assert call("run", "--executor", "local", script(tmp_path, text)).stderr.endswith(message)


def test_a_failure_shows_the_users_lines_only(tmp_path: Path) -> None:
    job = script(tmp_path, "import json\ndef mine():\n    json.loads('{')\nmine()\n")
    shown = call("run", "--executor", "local", job).stderr
    assert "in mine" in shown
    assert "decoder.py" not in shown
    assert "runpy" not in shown


def test_verbose_shows_every_line(tmp_path: Path) -> None:
    shown = call("run", "--verbose", "--executor", "local", script(tmp_path, "import json; json.loads('{')"))
    assert "decoder.py" in shown.stderr


def test_json_log_reports_a_failure_as_one_line(tmp_path: Path) -> None:
    job = script(tmp_path, "from datastream.errors import JobError\nraise JobError('it broke')")
    shown = call("run", "--log-format", "json", "--executor", "local", job)
    told = json.loads(shown.stderr)
    assert (told["event"], told["type"], told["error"]) == ("failed", "JobError", "it broke")


EPOCHS = """
from datastream.config.settings import EpochSummary, settings
from datastream.graph import JobGraph
settings().jobs_started += 1
for listener in [*settings().listeners, *(follow(JobGraph("j", (), ())) for follow in settings().followers)]:
    listener.on_start(JobGraph("j", (), ()))
    listener.on_epoch(EpochSummary(0, 1000, 10))
    listener.on_epoch(EpochSummary(1, 500, 5, duration_ms=250.0, watermark=0, final=True))
    listener.on_end("FINISHED", None)
"""


def test_epochs_as_json_lines(tmp_path: Path) -> None:
    shown = call("run", "--log-format", "json", "--executor", "local", script(tmp_path, EPOCHS))
    lines = [json.loads(line) for line in shown.stderr.splitlines()]
    assert [line["event"] for line in lines] == ["start", "epoch", "epoch", "end"]
    assert (lines[2]["records_in"], lines[2]["watermark"], lines[2]["final"]) == (500, 0, True)


def test_summary_where_stderr_is_no_terminal(tmp_path: Path) -> None:
    shown = call("run", "--executor", "local", script(tmp_path, EPOCHS))
    assert shown.stderr.startswith("finished: 1,500 records in, 15 out, 2 epochs, ")
    assert shown.stderr.count("\n") == 1


def test_no_progress_is_silent(tmp_path: Path) -> None:
    assert call("run", "--no-progress", "--executor", "local", script(tmp_path, EPOCHS)).stderr == ""


def test_progress_line() -> None:
    tally = Tally()
    assert tally.line() == "starting"
    tally.add(EpochSummary(0, 1000, 10))
    assert tally.line() == "epoch 0  1,000 in  10 out"
    tally.add(EpochSummary(1, 500, 5, duration_ms=250.0, watermark=0))
    assert tally.line() == "epoch 1  1,500 in  15 out  2,000 records/s  watermark 1970-01-01 00:00:00"


@pytest.mark.parametrize(("ms", "text"), [(2**63 - 1, "end"), (-(2**63), "none yet")])
def test_watermarks_at_the_ends_of_time(ms: int, text: str) -> None:
    assert instant(ms) == text


def test_closing_progress_twice_writes_one_summary(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.on_start(JobGraph("j", (Source(0, "s", NumberSequenceSource(0, 9)),), ()))
    progress.close("finished")
    progress.close("finished")
    assert capsys.readouterr().err.count("finished") == 1


def test_a_job_that_had_ended_already_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.on_start(JobGraph("j", (Source(0, "s", NumberSequenceSource(0, 9)),), ()))
    progress.on_end("FINISHED", None)
    said = "finished: nothing to do, the input of the job in this checkpoint directory had ended already\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("options", [("--no-progress",), ("--log-format", "json")])
def test_what_was_dropped_is_told_whatever_the_format(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"n": 1}\nno\n["no"]\n')
    text = f"""
from datastream.table import EnvironmentSettings, TableEnvironment
tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
tables.execute_sql("CREATE TABLE j (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / "in"}', "
    "'format' = 'json', 'json.ignore-parse-errors' = 'true')")
tables.execute_sql("CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole')")
tables.execute_sql("INSERT INTO gone SELECT n FROM j").wait()
"""
    said = call("run", "-p", "1", "--executor", "local", *options, script(tmp_path, text)).stderr
    place = "Source: table `default_catalog`.`default_database`.`j`"
    told = f"2 records could not be read at {place}, and were dropped"
    if "json" not in options:
        assert said == f"warning: {told}\n"
        return
    lines = [json.loads(line) for line in said.splitlines()]
    (dropped,) = [line for line in lines if line["event"] == "dropped"]
    assert (dropped["level"], dropped["records"], dropped["operator"], dropped["text"]) == ("warning", 2, place, told)
    assert lines[-1]["event"] == "end"


def test_dead_letters_of_a_side_output_are_not_lost(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text('{"n": 1}\npoison\n')
    text = f"""
from datastream import OutputTag, StreamExecutionEnvironment, WatermarkStrategy
from datastream.connectors.files import FileSource, StreamFormat
from datastream.formats import JsonRowDeserializationSchema
from datastream.types import Types
schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.INT()])).with_dead_letters(OutputTag("dead"))
source = FileSource.for_record_stream_format(StreamFormat.lines(schema), {str(tmp_path / "in.txt")!r}).build()
env = StreamExecutionEnvironment.get_execution_environment()
stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "in")
stream.get_side_output(OutputTag("dead")).map(lambda each: "aside").print()
env.execute()
"""
    shown = call("run", "-p", "1", "--executor", "local", script(tmp_path, text))
    assert "aside\n" in shown.stdout
    assert "finished: " in shown.stderr
    assert "warning" not in shown.stderr


def test_plan_as_text_keeps_the_scripts_output_apart(tmp_path: Path) -> None:
    shown = call("plan", script(tmp_path, JOB), "an", "argument")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("Job 'fake'")
    assert "hello from the script ['an', 'argument']" in shown.stderr
    assert settings().on_execute is None


def test_plan_of_a_script_with_two_jobs_says_so(tmp_path: Path) -> None:
    one = """
from datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_sequence(1, 9)
with numbers.execute_and_collect() as found:
    print(sorted(found))
"""
    job = script(tmp_path, one)
    assert call("plan", job).stderr == ""
    job = script(tmp_path, one + "cursor.execute('select 1')\nnumbers.print()\nenv.execute()\n")
    shown = call("plan", job)
    assert shown.exit_code == 0
    assert shown.stderr == f"note: this is the job of line 5 only; {job} has others at line 9\n"


def test_plan_as_json(tmp_path: Path) -> None:
    shown = call("plan", "--format", "json", script(tmp_path, JOB))
    assert [node["type"] for node in json.loads(shown.stdout)["nodes"]] == ["Source: numbers", "sum"]


def test_plan_takes_the_format_from_the_files_suffix(tmp_path: Path) -> None:
    target = tmp_path / "plan.svg"
    assert call("plan", "-o", target, script(tmp_path, JOB)).exit_code == 0
    assert Xml.parse(target).getroot().tag.endswith("svg")


def test_plan_of_a_script_without_a_job(tmp_path: Path) -> None:
    shown = call("plan", script(tmp_path, "print('nothing')"))
    assert shown.exit_code == 2
    assert "without a call of env.execute()" in shown.stderr


def test_a_job_that_shows_records_gets_no_line() -> None:
    from datastream.driver.progress import shows_records

    def job(sink: SystemSink) -> JobGraph:
        return JobGraph("j", (Sink(0, "s", sink),), ())

    assert shows_records(job(CollectSink()))
    assert not shows_records(job(DiscardingSink()))
    assert not shows_records(JobGraph("j", (), (Edge(0, 0, 1),)))


def test_doctor_reports_every_part() -> None:
    shown = call("doctor").output
    for part in ("python", "pyspark", "pyarrow", "java", "memory", "cores", "class-data archive"):
        assert f"  {part} " in shown


def test_doctor_fails_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    shown = call("doctor")
    assert shown.exit_code == 1
    assert f"no  java                JAVA_HOME is {tmp_path}" in shown.output
