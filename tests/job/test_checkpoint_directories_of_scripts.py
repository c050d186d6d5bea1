"""Several jobs of one script with one --checkpoint-dir: each has a folder, and is found again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from datastream import StreamExecutionEnvironment
from datastream.api.environment import graph_of
from datastream.connectors import DiscardingSink
from datastream.errors import CheckpointMismatch, ValidationError
from datastream.graph import JobGraph, Plan
from datastream.graph.shape import describe
from datastream.job import checkpoint_directories
from datastream.job.checkpoint_directories import Claim, claim
from datastream.spark.checkpoints.job_file import write_job
from tests.support.processes import Runs


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    restart(monkeypatch)


def restart(patch: pytest.MonkeyPatch) -> None:
    """The next claims are those of another process."""
    patch.setattr(checkpoint_directories, "_claims", {})


def graph(name: str, uid: str = "numbers") -> JobGraph:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_sequence(1, 3).uid(uid).sink_to(DiscardingSink()).uid("sink")
    return graph_of(env, name)


def start(folder: Path, name: str, uid: str = "numbers") -> Claim:
    """Claim the folder of a job, and leave what its start does."""
    job = graph(name, uid)
    found = claim(str(folder), job)
    assert found.folder is not None
    place = Path(found.folder)
    place.mkdir(parents=True, exist_ok=True)
    if not (place / "job.json").exists():
        write_job(place / "job.json", "id", plan := Plan.of(job), describe(plan), None)
    return found


def test_jobs_are_found_again_by_name_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [("a", "1"), ("b", "2"), ("a", "3"), ("a/b", "4"), ("a_b", "5"), ("ä" * 300, "6")]
    before = [start(tmp_path, *job).folder for job in jobs]
    assert before[0] == str(tmp_path) and len(set(before)) == len(jobs)
    restart(monkeypatch)
    order = [3, 1, 0, 5, 2, 4]  # the jobs with one name in their order
    assert [start(tmp_path, *jobs[i]).folder for i in order] == [before[i] for i in order]


def test_a_script_that_has_got_more_jobs_and_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert start(tmp_path, "a").folder == str(tmp_path)
    restart(monkeypatch)
    assert start(tmp_path, "renamed").folder == str(tmp_path)  # the only job of a script may get a new name
    more = start(tmp_path, "b", "other").folder
    restart(monkeypatch)
    assert start(tmp_path, "b", "other").folder == more
    assert start(tmp_path, "c", "another").folder not in (more, str(tmp_path))
    assert start(tmp_path, "a").folder == str(tmp_path)


def test_a_job_that_may_be_a_renamed_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start(tmp_path, "a", "1"), start(tmp_path, "b", "2")
    restart(monkeypatch)
    start(tmp_path, "a", "1")
    with pytest.raises(CheckpointMismatch, match="knows no job 'c', but has the checkpoint of a job 'b' with the same"):
        start(tmp_path, "c", "2")
    start(tmp_path, "b", "2")
    start(tmp_path, "c", "2")  # now that 'b' runs


def test_a_job_that_has_failed_is_started_again_in_its_folder(tmp_path: Path) -> None:
    first, second = start(tmp_path, "a"), start(tmp_path, "b", "other")
    assert start(tmp_path, "a").folder != first.folder  # it may still run
    second.failed = True
    assert start(tmp_path, "b", "other") is second
    second.failed = True
    assert start(tmp_path, "b", "changed") is not second


def test_threads_cannot_start_jobs_with_one_name(tmp_path: Path) -> None:
    start(tmp_path, "a")
    failures: list[Exception] = []

    def second() -> None:
        try:
            start(tmp_path, "a")
        except ValidationError as error:
            failures.append(error)

    thread = threading.Thread(target=second)
    thread.start()
    thread.join()
    assert "two threads start jobs with the name 'a'" in str(failures[0])


def test_remote_directories_have_folders_by_name() -> None:
    folders = [claim("s3://bucket/c", graph(name)).folder for name in ("a", "b", "b")]
    assert folders[0] == "s3://bucket/c" and len(set(folders)) == 3
    assert all(str(folder).startswith("s3://bucket/c/jobs/b-") for folder in folders[1:])


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    started = Runs(tmp_path)
    yield started
    started.end()


TWO_JOBS = """
import os, sys, time
from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from datastream.connectors import DataGeneratorSource
from datastream.connectors.files import BucketAssigner, FileSink
from datastream.formats import Encoder

out, names, fail = sys.argv[1], sys.argv[2].split(","), os.path.exists(sys.argv[3])

def start(name):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    source = DataGeneratorSource(int, 300, rate_per_second=100)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), name).uid(f"numbers {name}")
    def count(n):
        if fail and name == "two" and n == 150:
            raise ValueError("the job fails")
        return f"{name} {n}"
    sink = FileSink.for_row_format(out, Encoder.simple_string_encoder())
    sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
    numbers.map(count).uid("count").sink_to(sink).uid("sink")
    return env.execute_async(name)

for name in names:
    start(name)
"""


@pytest.mark.long
def test_two_jobs_continue_where_they_were_and_write_into_one_folder(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(TWO_JOBS)
    out, checkpoint, fails = tmp_path / "out", tmp_path / "checkpoint", tmp_path / "fails"
    fails.touch()
    command = ("--checkpoint-dir", checkpoint, "jobs.py", out)
    first = runs.job(*command, "one,two", fails)
    assert first.wait() == 1 and "the job fails" in first.err, first.told()
    assert len(list(checkpoint.glob("jobs/two-*/job.json"))) == 1
    fails.unlink()
    runs.job(*command, "two,one", fails).succeed()
    rows = [line for part in out.glob("part-*") for line in part.read_text().splitlines()]
    assert sorted(rows) == sorted(f"{job} {n}" for job in ("one", "two") for n in range(300))
