"""The suites on connectors that are right; and on such that are wrong, where they say what is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.io import BatchingSink, NumberedSource, SinkWriter
from datastream.testing import source_trial
from datastream.testing.conformance import SinkConformance, SourceConformance
from tests.io.outsiders.folder_sink import FolderSink
from tests.io.outsiders.simplest import TableSink, rows, table
from tests.io.outsiders.table_source import TableSource
from tests.io.test_outsiders import lines_in


class TestTableSource(SourceConformance):
    expected = range(5)

    def create(self, folder):
        return TableSource(table(f"{folder}/db", self.expected))


class TestTableSink(SinkConformance):
    ordered = True

    def create(self, folder):
        return TableSink(table(f"{folder}/db"))

    def written(self, folder):
        return rows(f"{folder}/db")


class TestFolderSink(SinkConformance):
    def create(self, folder):
        return FolderSink(str(folder))

    def written(self, folder):
        return lines_in(folder)


@dataclass(frozen=True)
class LineSink(BatchingSink):
    """Lines of a file, at least once."""

    path: str
    batch_size: int = 2

    def connect(self, context):
        return open(self.path, "a")

    def write(self, connection, records):
        connection.writelines(f"{record}\n" for record in records)
        connection.flush()


class TestLineSink(SinkConformance):
    exactly_once = False

    def create(self, folder):
        return LineSink(f"{folder}/lines")

    def written(self, folder):
        return [int(line) for line in Path(f"{folder}/lines").read_text().split()]


@dataclass(frozen=True)
class Numbers(NumberedSource):
    password: str = ""
    host: str = ""

    def end(self):
        return 4

    def read(self, start, end):
        if self.host:
            raise ConnectionRefusedError(f"{self.host} does not answer to {self.password}")
        yield list(range(start, end))


class Suite(SourceConformance):
    __test__ = False
    expected = range(4)
    secrets = ("hush",)

    def create(self, folder):
        return Numbers()


def failed(call, *arguments: Any) -> str:
    with pytest.raises(AssertionError) as raised:
        call(*arguments)
    return str(raised.value)


def test_a_secret_in_the_repr(tmp_path):
    class Shows(Suite):
        def create(self, folder):
            return Numbers("hush")

    said = failed(Shows().test_it_shows_no_secret, tmp_path)
    assert "a secret is shown: Numbers(password='<secret>'" in said


def test_a_secret_in_an_error(monkeypatch):
    class Shows(Suite):
        def unreachable(self):
            return Numbers("hush", "db:1")

    monkeypatch.setattr(settings(), "executor", "local")
    said = failed(Shows().test_it_says_that_its_system_is_away)
    assert "a secret is shown" in said and "db:1 does not answer to <secret>" in said and "hush" not in said


def test_an_order_that_changes(tmp_path):
    class Shuffled(Numbers):
        def read(self, start, end):
            yield list(range(start, end))[::-1]

    class Wrong(Suite):
        def create(self, folder):
            return Shuffled()

    assert "another order" in failed(Wrong().test_its_records_stay_in_order, tmp_path)


def test_a_source_that_does_not_end_though_it_is_bounded(tmp_path, monkeypatch):
    class Growing(NumberedSource):
        def end(self):
            return 4

        def read(self, start, end):
            yield list(range(start, end))

        def create_enumerator(self, context):
            made = super().create_enumerator(context)
            made.finished = lambda offset: False
            return made

    class Endless(Suite):
        def create(self, folder):
            return Growing()

    monkeypatch.setattr(source_trial, "_PATIENCE_S", 0.1)
    said = failed(Endless().test_its_records_stay_in_order, tmp_path)
    assert "a job would never end, though the source is bounded" in said


def test_an_epoch_that_is_too_large(tmp_path):
    class Twice(Numbers):
        def read(self, start, end):
            yield [n for n in range(start, end) for _ in "ab"]

    class Wrong(Suite):
        def create(self, folder):
            return Twice()

    said = failed(Wrong().test_its_epochs_are_as_large_as_they_may_be, tmp_path)
    assert "asked for 3 records at most, and an epoch held 6" in said


def test_a_sink_that_keeps_the_batch(tmp_path):
    class Writer(SinkWriter):
        def __init__(self, folder):
            self._folder = folder

        def begin(self, epoch, attempt):
            self._at = epoch
            self._batches = []

        def write(self, batch):
            self._batches.append(batch)

        def prepare_commit(self):
            records = [record for batch in self._batches for record in batch.records]
            Path(f"{self._folder}/{self._at}-{id(self)}.json").write_text("\n".join(map(str, records)))

    class Keeps(FolderSink):
        def create_writer(self, context):
            return Writer(self.folder)

        def create_committer(self, context):
            return None

    class Wrong(SinkConformance):
        def create(self, folder):
            return Keeps(str(folder))

        def written(self, folder):
            return lines_in(folder)

    assert "lost records" in failed(Wrong().test_a_commit_may_be_repeated_and_a_batch_changed, tmp_path)


def test_a_sink_that_keeps_records_that_the_job_changes(tmp_path):
    class Keeps(SinkWriter):
        def __init__(self, folder):
            self._folder = folder

        def begin(self, epoch, attempt):
            self._at, self._records = epoch, []

        def write(self, batch):
            self._records += batch.records

        def prepare_commit(self):
            Path(f"{self._folder}/{self._at}-{id(self)}.json").write_text("\n".join(map(json.dumps, self._records)))

    class KeepsSink(FolderSink):
        def create_writer(self, context):
            return Keeps(self.folder)

        def create_committer(self, context):
            return None

    class Wrong(SinkConformance):
        def create(self, folder):
            return KeepsSink(str(folder))

        def record(self, number):
            return {"n": number}

        def written(self, folder):
            return lines_in(folder)

    assert "lost records" in failed(Wrong().test_a_commit_may_be_repeated_and_a_batch_changed, tmp_path)


class TestBatchesOfDicts(SinkConformance):
    exactly_once = False

    def create(self, folder):
        return LineSink(f"{folder}/lines", 7)

    def record(self, number):
        return {"n": number}

    def written(self, folder):
        return [eval(line) for line in Path(f"{folder}/lines").read_text().splitlines()]


def test_a_suite_says_what_it_needs(tmp_path):
    with pytest.raises(NotImplementedError, match="SourceConformance needs a method create"):
        SourceConformance().create(tmp_path)
