"""`check_source` and `check_sink` on connectors that are wrong: the message names the method and the crash."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from datastream.io import Batch, Committer, NumberedSource, Sink, SinkWriter, SourceReader
from datastream.testing.connectors import check_sink, check_source
from tests.io.outsiders.simplest import TableSink, rows, table
from tests.io.outsiders.toy_queue import ToyConnection, ToyQueueSource, new_queue

EPOCHS = [[[0, 1], [2]], [[], [3]]]


@dataclass(frozen=True)
class Numbers(NumberedSource):
    """0, 1, 2, 3."""

    change: Any = None

    def end(self):
        return 4

    def read(self, start, end):
        yield [n if self.change is None else self.change(n) for n in range(start, end)]


class GivesLists(Numbers):
    def create_reader(self, context):
        return ReaderOf(lambda start, end: [[n for n in range(start, end)]])


class GivesNothing(Numbers):
    def create_reader(self, context):
        return ReaderOf(lambda start, end: None)


class Raises(Numbers):
    def create_reader(self, context):
        return ReaderOf(lambda start, end: 1 // 0)


class SetsAsOffsets(Numbers):
    def first(self):
        return {0}


@dataclass(frozen=True)
class Hasty(ToyQueueSource):
    """A queue whose messages are gone once they are pulled."""

    def connect(self):
        return HastyConnection(self.path, True)


class HastyConnection(ToyConnection):
    def pull(self, most):
        found = super().pull(most)
        self.acknowledge(found)
        return found


@dataclass(frozen=True)
class Renaming(ToyQueueSource):
    """A queue whose messages have another id each time they are delivered."""

    def connect(self):
        return RenamingConnection(self.path, True)


class RenamingConnection(ToyConnection):
    def pull(self, most):
        return [message._replace(id=f"{message.id} {self.holder}") for message in super().pull(most)]


@dataclass
class ReaderOf(SourceReader):
    records: Callable[[int, int], Any]

    def read(self, split):
        return self.records(*split)


class CountsReads(Numbers):
    """Each read gives other records."""

    def create_reader(self, context):
        return Other()


class Other(SourceReader):
    reads = 0

    def read(self, split):
        Other.reads += 1
        yield Batch([(Other.reads, n) for n in range(*split)])


def message(check: Callable[[], object]) -> str:
    with pytest.raises(AssertionError) as caught:
        check()
    return str(caught.value)


def test_lost_records_are_found_without_a_crash(tmp_path: Path) -> None:
    text = message(lambda: check_source(lambda folder: Numbers(), tmp_path, range(6)))
    assert text.splitlines()[0] == "lost records: 4, 5, without any crash"
    assert str(tmp_path / "trials-1" / "no-crash") in text


def test_records_that_nobody_expected(tmp_path: Path) -> None:
    text = message(lambda: check_source(lambda folder: Numbers(), tmp_path, [0, 1, 2]))
    assert text.startswith("records that were not expected: 3, without any crash")


def test_a_second_run_gets_new_folders(tmp_path: Path) -> None:
    first = check_source(lambda folder: Numbers(), tmp_path / "checks", range(4))
    assert first == check_source(lambda folder: Numbers(), tmp_path / "checks", range(4)) > 50
    assert sorted(path.name for path in (tmp_path / "checks").iterdir()) == ["trials-1", "trials-2"]


def test_settings_may_hold_a_lambda(tmp_path: Path) -> None:
    assert check_source(lambda folder: Numbers(lambda n: n + 1), tmp_path, [1, 2, 3, 4]) > 50


def test_a_record_may_come_twice_only_where_that_is_said(tmp_path: Path) -> None:
    source = lambda folder: Numbers(lambda n: n // 2)  # noqa: E731
    assert check_source(source, tmp_path, [0, 1], twice=lambda n: n in (0, 1)) > 50
    text = message(lambda: check_source(source, tmp_path, [0, 1], twice=lambda n: n == 0))
    assert text.startswith("records that are there too often: 1, without any crash")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (GivesLists, "ReaderOf.read gave list [0], expected Batch: yield Batch([...]), without any crash"),
        (GivesNothing, "ReaderOf.read returned NoneType None, expected an iterator of Batch: yield Batch([...])"),
        (Raises, "ReaderOf.read raised ZeroDivisionError: integer division or modulo by zero, without any crash"),
        (SetsAsOffsets, "_NumberedEnumerator.initial_offset returned set {0}, which is not JSON"),
    ],
)
def test_a_source_that_breaks_the_contract(tmp_path: Path, source: type[Numbers], expected: str) -> None:
    assert message(lambda: check_source(lambda folder: source(), tmp_path, range(4))).startswith(expected)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (lambda path: Hasty(path), "lost records: 'a', with a crash of the job before HastyConnection.held"),
        (
            lambda path: Renaming(path),
            "records that are there too often: 'a', with a crash of the job before RenamingConnection.acknowledge",
        ),
        (
            lambda path: ToyQueueSource(path, with_ids=False),
            "records that are there too often: 'a', with a crash of the job before ToyConnection.acknowledge",
        ),
    ],
)
def test_a_connection_to_a_queue_that_loses_or_repeats_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Callable[[str], ToyQueueSource], expected: str
) -> None:
    monkeypatch.setattr("os.fsync", lambda file: None)
    monkeypatch.setattr("datastream.testing.source_trial._PATIENCE_S", 0.1)  # what is lost never comes
    make = lambda folder: source(new_queue(f"{folder}/queue", ["a", "b"]))  # noqa: E731
    assert message(lambda: check_source(make, tmp_path, ["a", "b"], budget=1, parallelism=1)).startswith(expected)


def test_settings_that_cannot_be_pickled(tmp_path: Path) -> None:
    text = message(lambda: check_source(lambda folder: Numbers(threading.Lock()), tmp_path, range(4)))
    assert text.startswith("Numbers cannot be pickled (TypeError: cannot pickle '_thread.lock' object): hold settings")


def test_a_replay_that_differs_names_the_split_and_the_crash(tmp_path: Path) -> None:
    def make(folder: Path) -> CountsReads:
        Other.reads = 0
        return CountsReads()

    text = message(lambda: check_source(make, tmp_path, [(1, 0), (2, 1), (3, 2), (4, 3)], parallelism=3))
    assert text.startswith(
        "Other.read of split (0, 1) in epoch 0 is not the same when read again: record 0 was (1, 0), is (2, 0), "
        "with a crash of the job before Other.read, next batch (call 2 of it)"
    )


class CommitsNothing(TableSink):
    def connect(self):
        return sqlite3.connect(self.path, check_same_thread=False, timeout=0)

    def commit(self, connection, name, epoch):
        pass


def test_a_commit_that_does_nothing(tmp_path: Path) -> None:
    def check(epochs):
        return message(
            lambda: check_sink(
                lambda folder: CommitsNothing(table(f"{folder}/db")),
                tmp_path,
                lambda folder: rows(f"{folder}/db"),
                epochs,
            )
        )

    assert check([[[0]], [[1]]]).startswith("lost records: 0, 1, without any crash")
    assert check(EPOCHS).splitlines()[0] == (
        "_TransactionalWriter.write raised OperationalError: database is locked, without any crash; "
        "it was in subtask 1, the writer of subtask 0 was open"
    )


class Connection(sqlite3.Connection):
    """One that only the garbage collector frees."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.me = self


class KeepsConnections(TableSink):
    def connect(self):
        return sqlite3.connect(self.path, check_same_thread=False, timeout=0, factory=Connection)


def test_connections_of_crashed_writers_are_gone_before_the_next_attempt(tmp_path: Path) -> None:
    def make(folder):
        return KeepsConnections(table(f"{folder}/db"))

    assert check_sink(make, tmp_path, lambda folder: rows(f"{folder}/db"), [[[0]], [[1]]]) > 30


class FailsToAbort(Sink):
    def create_writer(self, context):
        return AbortsBadly()


class AbortsBadly(SinkWriter):
    def write(self, batch):
        pass

    def abort(self):
        raise OSError("cannot")


def test_an_abort_that_fails_is_named(tmp_path: Path) -> None:
    text = message(lambda: check_sink(lambda folder: FailsToAbort(), tmp_path, lambda folder: [1], [[[1]]]))
    assert text.splitlines()[0] == (
        "AbortsBadly.abort raised OSError: cannot, with a crash of the task before AbortsBadly.begin"
    )


class Appends(Sink):
    """Writes at once: an attempt that fails leaves records behind."""

    def __init__(self, path):
        self.path = path

    def create_writer(self, context):
        return AppendingWriter(self.path)

    def create_committer(self, context):
        return Nothing()


@dataclass
class AppendingWriter(SinkWriter):
    path: str

    def write(self, batch):
        with open(self.path, "a") as file:
            file.writelines(f"{record}\n" for record in batch.records)


class Nothing(Committer):
    def commit(self, epoch, committables, final):
        pass


def numbers_in(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "out").read_text().splitlines()]


def test_a_sink_that_doubles_names_the_crash(tmp_path: Path) -> None:
    text = message(lambda: check_sink(lambda folder: Appends(f"{folder}/out"), tmp_path, numbers_in, EPOCHS))
    assert text.splitlines()[0] == (
        "records that are there too often: 0, with a crash of the job before AppendingWriter.write (call 2 of it)"
    )


def test_at_least_once_is_enough_where_that_is_said(tmp_path: Path) -> None:
    make = lambda folder: Appends(f"{folder}/out")  # noqa: E731
    assert check_sink(make, tmp_path, numbers_in, EPOCHS, exactly_once=False) > 50
