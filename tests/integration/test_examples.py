"""The shipped examples and PyFlink-style scripts by the command line, as a person would run them."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.support.processes import ROOT, Runs, datastream, visible_lines

EXAMPLES = ROOT / "examples"

WATCH = """
import sys
from pyflink.common import Duration, Encoder, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, RollingPolicy, StreamFormat

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), sys.argv[1])
source = source.monitor_continuously(Duration.of_millis(200)).build()
sink = FileSink.for_row_format(sys.argv[2], Encoder.simple_string_encoder())
sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()
env.from_source(source, WatermarkStrategy.no_watermarks(), "watched").map(str.upper).sink_to(sink)
env.execute("watch")
"""

BY_REFERENCE = """
import pyflink.common
from pyflink.common import Row, Types
from pyflink.datastream import KeySelector, MapFunction, StreamExecutionEnvironment
import pyflink.datastream.functions as functions


class Double(functions.MapFunction):
    def map(self, value):
        return Row(value % 2, value * 2)


class ByFirst(KeySelector):
    def get_key(self, value):
        return value[0]


def add(a, b):
    return pyflink.common.Row(a[0], a[1] + b[1])


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
sums = env.from_collection(range(10)).map(Double()).key_by(ByFirst()).reduce(add)
rows = sums.map(pyflink.common.Row)  # a class by its alias, with no function around it
rows.filter(lambda row: isinstance(row, pyflink.common.Row)).map(lambda row: tuple(row[0])).print()
env.execute("by reference")
"""


def test_word_count(runs: Runs) -> None:
    run = runs.job("--log-format", "json", EXAMPLES / "word_count.py")
    counted = dict(line.strip("()").split(",") for line in run.succeed().splitlines())
    assert len(counted) == 24
    assert (counted["the"], counted["river"], counted["and"], counted["known"]) == ("5", "5", "4", "1")
    told = [json.loads(line) for line in run.err.splitlines()]
    assert [told[0]["event"], told[-1]["event"]] == ["start", "end"]
    assert sum(line.get("records_in", 0) for line in told) == 5
    run.assert_tidy()


@pytest.mark.parametrize("form", ["text", "json", "svg"])
def test_plan_of_the_flights(runs: Runs, form: str) -> None:
    run = runs.start(*datastream("plan", EXAMPLES / "flights" / "job.py", "--format", form))
    shown = run.succeed()
    assert "statistics by carrier" in shown
    if form == "json":
        assert len(json.loads(shown)["nodes"]) == 31
    elif form == "svg":
        assert Xml.fromstring(shown).tag.endswith("svg")
    run.assert_tidy()


@pytest.mark.long
def test_a_watched_folder_gives_new_files_to_a_running_job(runs: Runs, tmp_path: Path) -> None:
    watched, out = tmp_path / "in", tmp_path / "out"
    watched.mkdir()
    (watched / "first").write_text("one\ntwo\n")
    (tmp_path / "watch.py").write_text(WATCH)
    run = runs.job("watch.py", watched, out)
    run.until(lambda: sorted(visible_lines(out)) == ["ONE", "TWO"], "lines of the first file")
    (watched / ".second").write_text("three\n")
    (watched / ".second").rename(watched / "second")
    run.until(lambda: sorted(visible_lines(out)) == ["ONE", "THREE", "TWO"], "lines of the second")
    run.interrupt()
    assert run.wait() == 130, run.told()
    assert "cancelled" in run.err
    run.assert_tidy()


@pytest.mark.long
def test_aliases_of_pyflink_are_found_in_workers(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(BY_REFERENCE)
    run = runs.job("--no-progress", "job.py")
    shown = [ast.literal_eval(line.partition("> ")[2]) for line in run.succeed().splitlines()]
    assert len(shown) == 10
    assert {key: max(total for k, total in shown if k == key) for key in (0, 1)} == {0: 40, 1: 50}
    run.assert_tidy()
