"""What the engine calls on connectors, and when: through jobs."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from datastream import JobError
from datastream.io import Batch, Committer, Consumed, Sink, SinkWriter, Source, SourceReader, SplitEnumerator
from datastream.io.ranges import cut
from datastream.time import WatermarkStrategy

EPOCHS = 4
PARALLELISM = 2


@dataclass(frozen=True)
class Log:
    """Lines that the processes of a job write: who, which object, what."""

    path: str

    def write(self, who: str, what: str, it: object) -> None:
        with open(self.path, "a") as file:
            file.write(f"{who} {os.getpid()}-{id(it)} {what}\n")

    def calls(self, who: str) -> list[str]:
        """What was called, in order."""
        lines = (line.split(" ", 2) for line in Path(self.path).read_text().splitlines())
        return [what for name, _, what in lines if name == who]

    def of(self, who: str) -> dict[str, list[str]]:
        """By object, what was called."""
        found: dict[str, list[str]] = {}
        for line in Path(self.path).read_text().splitlines():
            name, it, what = line.split(" ", 2)
            if name == who:
                found.setdefault(it, []).append(what)
        return found


@dataclass(frozen=True)
class Logged(Source):
    """Ten numbers an epoch."""

    log: Log

    def create_enumerator(self, context):
        assert context.uid == "numbers" and context.parallelism == PARALLELISM
        return LoggedEnumerator(self.log)

    def create_reader(self, context):
        assert not context.timestamps
        return LoggedReader(self.log, context)


class LoggedEnumerator(SplitEnumerator):
    def __init__(self, log):
        self.log = log

    def initial_offset(self):
        return 0

    def latest_offset(self, start, budget):
        return min(start + 10, 10 * EPOCHS)

    def splits(self, start, end, parallelism):
        return cut(start, end, parallelism)

    def finished(self, offset):
        return offset == 10 * EPOCHS

    def commit(self, offset):
        self.log.write("enumerator", f"commit {offset}", self)

    def close(self):
        self.log.write("enumerator", "close", self)


class LoggedReader(SourceReader):
    def __init__(self, log, context):
        self.log, self.read_so_far = log, context.metrics.counter("read")

    def begin(self, epoch, attempt):
        self.log.write("reader", f"begin {epoch}", self)

    def read(self, split):
        self.read_so_far.inc(split[1] - split[0])
        yield Batch(list(range(*split)))

    def close(self):
        self.log.write("reader", "close", self)


@dataclass(frozen=True)
class LoggedSink(Sink):
    log: Log
    fails_at: int = -1

    @property
    def consumed(self):
        return Consumed()

    def create_writer(self, context):
        self.log.write("subtasks", str(context.subtask), self)
        return LoggedWriter(self.log, context, self.fails_at)

    def create_committer(self, context):
        return LoggedCommitter(self.log)


class LoggedWriter(SinkWriter):
    def __init__(self, log, context, fails_at):
        self.log, self.written, self.fails_at = log, context.metrics.counter("written"), fails_at

    def begin(self, epoch, attempt):
        self.log.write("writer", f"begin {epoch}", self)

    def write(self, batch):
        self.written.inc(len(batch.records))
        if self.fails_at in batch.records:
            raise ValueError("no more")

    def prepare_commit(self):
        self.log.write("writer", "prepare", self)
        return "made"

    def abort(self):
        self.log.write("writer", "abort", self)

    def close(self):
        self.log.write("writer", "close", self)


class LoggedCommitter(Committer):
    def __init__(self, log):
        self.log = log

    def commit(self, epoch, committables, final):
        assert committables == ["made"] * PARALLELISM
        self.log.write("committer", f"commit {epoch} {final}", self)

    def close(self):
        self.log.write("committer", "close", self)


def by_process(objects: dict[str, list[str]]) -> Counter[str]:
    return Counter(it.split("-")[0] for it in objects)


def run_job(run, log, **fails):
    env = run.environment()
    env.set_parallelism(PARALLELISM)
    stream = env.from_source(Logged(log), WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    stream.sink_to(LoggedSink(log, **fails)).uid("out")
    return env.execute("life cycles")


def test_readers_and_writers_live_over_epochs(run, tmp_path):
    log = Log(str(tmp_path / "log"))
    result = run_job(run, log)
    counts = result.get_all_accumulator_results()
    assert (counts["numbers.read"], counts["out.written"]) == (10 * EPOCHS, 10 * EPOCHS)

    readers = log.of("reader")
    begun = sorted(call for calls in readers.values() for call in calls if call != "close")
    assert begun == sorted([f"begin {epoch}" for epoch in range(EPOCHS)] * PARALLELISM)
    assert set(by_process(readers).values()) == {1}, "one a worker, not one an epoch"

    writers = log.of("writer")
    calls = [call for calls in writers.values() for call in calls]
    assert sorted(call for call in calls if call.startswith("begin")) == begun
    assert calls.count("prepare") == EPOCHS * PARALLELISM and "abort" not in calls
    assert max(by_process(writers).values()) <= PARALLELISM, "one for each worker and subtask"
    for made in (*readers.values(), *writers.values()):
        epochs = [int(call.split()[1]) for call in made if call.startswith("begin")]
        assert epochs == sorted(epochs)
        assert "close" not in made or made.index("close") == len(made) - 1

    committers = log.of("committer")
    assert set(by_process(committers).values()) == {1}, "one a worker, not one an epoch"
    commits = [call for call in log.calls("committer") if call != "close"]
    assert commits == [*(f"commit {n} False" for n in range(EPOCHS - 1)), f"commit {EPOCHS - 1} True"]
    assert any(calls[-2:] == [commits[-1], "close"] for calls in committers.values())
    commits = [call for calls in log.of("enumerator").values() for call in calls]
    assert [call for call in commits if call.startswith("commit")][-1] == f"commit {10 * EPOCHS}"


@pytest.mark.parametrize("run", ["local"], indirect=True)  # workers of Spark outlive a job, and close later
def test_a_local_job_closes_all_it_made(run, tmp_path):
    log = Log(str(tmp_path / "log"))
    run_job(run, log)
    for who in ("reader", "writer", "committer", "enumerator"):
        assert all(calls[-1] == "close" and calls.count("close") == 1 for calls in log.of(who).values()), who


def test_a_writer_that_fails_is_aborted_and_closed(run, tmp_path):
    log = Log(str(tmp_path / "log"))
    with pytest.raises(JobError, match=r"LoggedSink.*no more"):
        run_job(run, log, fails_at=17)
    failed = [calls for calls in log.of("writer").values() if "abort" in calls]
    assert failed and all(calls[-2:] == ["abort", "close"] for calls in failed)
