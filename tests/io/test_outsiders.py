"""Connectors as somebody outside the project would write them, with a crash between any two calls."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from datastream import Configuration, JobError, StreamExecutionEnvironment
from datastream.errors import CheckpointError
from datastream.testing.connectors import check_sink, check_source
from datastream.time import WatermarkStrategy
from tests.support.drive import begun, context, write
from tests.support.waiting import wait_until

from .outsiders import folder_sink, simplest, table_source
from .outsiders.folder_sink import FolderSink
from .outsiders.simplest import LinesOfFiles, TableSink, rows, table
from .outsiders.table_source import TableSource
from .outsiders.toy_queue import ToyQueueSource, new_queue

NO_WATERMARKS = WatermarkStrategy.no_watermarks()
EPOCHS = [[[0, 1], [2]], [[], [3]], [[4, 5], [6]]]


def lines_of(module) -> int:
    return sum(bool(line.strip()) for line in Path(module.__file__).read_text().splitlines())


def lines_in(folder: Path) -> list[int]:
    return [json.loads(line) for file in folder.glob("*.json") for line in file.read_text().splitlines()]


def test_they_are_short():
    assert lines_of(table_source) <= 40
    assert lines_of(folder_sink) <= 40
    assert lines_of(simplest) <= 40 + 12, "two connectors, and what the tests fill and read tables with"


def test_a_source_of_a_table(tmp_path):
    crashes = check_source(lambda world: TableSource(table(f"{world}/db", range(5))), tmp_path, range(5))
    assert crashes > 100


def test_a_sink_of_files(tmp_path):
    assert check_sink(lambda world: FolderSink(str(world)), tmp_path, lines_in, EPOCHS) > 100


def test_the_simplest_source(tmp_path):
    def make(world):
        for i in range(4):
            (world / f"{i}").write_text(f"{i}a\n{i}b")
        return LinesOfFiles(tuple(str(world / f"{i}") for i in range(4)))

    assert check_source(make, tmp_path, [f"{i}{c}" for i in range(4) for c in "ab"]) > 100


class Quick(TableSink):
    def connect(self):
        connection = super().connect()
        connection.execute("pragma synchronous = off")  # no machine goes down here
        return connection


def test_the_simplest_sink(tmp_path):
    def make(world):
        return Quick(table(f"{world}/db"))

    assert check_sink(make, tmp_path, lambda world: rows(f"{world}/db"), EPOCHS) > 100


def test_a_checkpoint_older_than_what_was_written_is_refused(tmp_path):
    made = Quick(table(f"{tmp_path}/db"))
    write(made, context(5), ["new"])
    with pytest.raises(CheckpointError, match="at epoch 4, but .* wrote epoch 5; the checkpoint directory is older"):
        begun(made, context(4))
    assert list(rows(f"{tmp_path}/db")) == ["new"]


def test_from_a_table_to_files_in_a_job(run, tmp_path):
    (tmp_path / "out").mkdir()
    env = run.environment()
    source = TableSource(table(f"{tmp_path}/db", range(5000)))
    env.from_source(source, NO_WATERMARKS, "table").sink_to(FolderSink(f"{tmp_path}/out"))
    env.execute("copy")
    assert sorted(lines_in(tmp_path / "out")) == list(range(5000))


def test_from_a_list_of_files_to_a_table_in_a_job(run, tmp_path):
    for i in range(5):
        (tmp_path / f"{i}").write_text(f"{i}a\n{i}b")
    env = run.environment()
    source = LinesOfFiles(tuple(str(tmp_path / f"{i}") for i in range(5)))
    sink = TableSink(table(f"{tmp_path}/db"))
    env.from_source(source, NO_WATERMARKS, "files").rebalance().map(str.upper).set_parallelism(1).sink_to(sink)
    env.execute("copy")
    assert sorted(rows(f"{tmp_path}/db")) == [f"{i}{c}" for i in range(5) for c in "AB"]


def test_a_queue_in_a_job(run, tmp_path):
    source = ToyQueueSource(new_queue(f"{tmp_path}/queue", [f"{i}" for i in range(20)]))
    stream = run.environment().from_source(source, NO_WATERMARKS, "queue").map(int)
    with stream.execute_and_collect() as results:
        assert sorted(next(results) for _ in range(20)) == list(range(20))
    assert messages(tmp_path) == []


class FailsOnce:
    def __init__(self, flag):
        self.flag = flag

    def __call__(self, text):
        if text == "7" and not self.flag.exists():
            self.flag.touch()
            raise ValueError("for once")
        return int(text)


@pytest.mark.parametrize("run", ["spark"], indirect=True)  # the local executor takes no checkpoint directory
def test_a_queue_goes_on_from_a_checkpoint(run, tmp_path):
    (tmp_path / "out").mkdir()
    new_queue(f"{tmp_path}/queue", [f"{i}" for i in range(12)])

    def start():
        configuration = Configuration()
        configuration.set_string("execution.checkpointing.dir", f"{tmp_path}/checkpoint")
        configuration.set_string("datastream.epoch.max-records", "4")
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_parallelism(2)
        stream = env.from_source(ToyQueueSource(f"{tmp_path}/queue"), NO_WATERMARKS, "queue").uid("queue")
        stream.map(FailsOnce(tmp_path / "failed")).sink_to(FolderSink(f"{tmp_path}/out")).uid("out")
        return env.execute_async("queue")

    with pytest.raises(JobError, match="for once"):
        start().get_job_execution_result().result()
    assert len(messages(tmp_path)) < 12 - len(lines_in(tmp_path / "out")), "messages of the failed epoch are gone"
    again = start()
    wait_until(lambda: len(lines_in(tmp_path / "out")) >= 12, "lines", every_s=0.05)
    again.cancel().result()
    assert sorted(lines_in(tmp_path / "out")) == list(range(12))


def messages(world: Path) -> list[int]:
    with closing(sqlite3.connect(f"{world}/queue")) as database:
        return database.execute("select id from messages").fetchall()


@pytest.mark.long
@pytest.mark.parametrize("with_ids", [True, False])
def test_a_queue(tmp_path, with_ids, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here
    worlds = []

    def make(world):
        worlds.append(world)
        return ToyQueueSource(new_queue(f"{world}/queue", [f"{i}" for i in range(4)]), with_ids)

    texts = [f"{i}" for i in range(4)]
    assert check_source(make, tmp_path, texts, twice=lambda text: not with_ids) > 100
    assert [messages(world) for world in worlds] == [[]] * len(worlds), "all are acknowledged in the end"
