"""Partitions of the connector filesystem are committed once they are complete."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import uuid
from datetime import datetime

import fsspec
import pytest

from datastream import StreamExecutionEnvironment
from datastream.api.step import node_of
from datastream.config.settings import settings
from datastream.connectors.files import committer as committer_module
from datastream.connectors.files.remote.s3_uploads import S3Uploads
from datastream.connectors.files.remote.staged_files import StagedFiles
from datastream.errors import JobError, UnsupportedOperation, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, StreamTableEnvironment, TableEnvironment
from datastream.table.connectors import TableInfo, connector_for
from datastream.table.connectors.partition_commits import DefaultTimeExtractor
from datastream.table.plan.relations import Column
from datastream.time import MIN_WATERMARK
from tests.support.drive import committer_of, write_epoch
from tests.support.dying import Crash, Faults
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


KIND = "sink.partition-commit.policy.kind"
TRIGGER = "sink.partition-commit.trigger"
DELAY = "sink.partition-commit.delay"
PATTERN = "partition.time-extractor.timestamp-pattern"
BY_HOUR = {KIND: "success-file", TRIGGER: "partition-time", PATTERN: "$day $hour:00:00"}
COLUMNS = (
    Column("n", DataTypes.INT()),
    Column("day", DataTypes.STRING()),
    Column("hour", DataTypes.STRING()),
)


def table(path, options) -> TableInfo:
    given = {"connector": "filesystem", "path": str(path), "format": "json", **options}
    return TableInfo(("c", "d", "t"), COLUMNS, {}, given, partition_keys=("day", "hour"))


def sink(path, options):
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    info = table(path, options)
    return node_of(connector_for(info).sink(env.from_collection([(1, "a", "b")]), info, False, "out")).operator.sink


def commit(committer, made, epoch, rows, watermark, final=False):
    prepared = write_epoch(made, epoch, lambda n: rows if n == 0 else [])
    committer.advance(watermark)
    committer.commit(epoch, prepared, final)


def at(text) -> int:
    return round(datetime.fromisoformat(f"2020-01-01 {text}+00:00").timestamp() * 1000)


def found(path) -> dict[str, tuple[list[int], bool]]:
    """By partition, the numbers in its files, and whether it has the file of success."""
    partitions = {}
    for root, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if files:
            numbers = []
            for name in files:
                if not name.startswith("_"):
                    with open(os.path.join(root, name)) as file:
                        numbers += [json.loads(line)["n"] for line in file]
            partitions[os.path.relpath(root, path)] = sorted(numbers), "_SUCCESS" in files
    return partitions


def test_a_partition_is_complete_once_the_watermark_has_passed_its_time(tmp_path):
    made = sink(tmp_path, BY_HOUR | {DELAY: "1 h"})
    committer = committer_of(made)
    commit(committer, made, 0, [(1, "2020-01-01", "10"), (2, "2020-01-01", "11")], at("10:59:59"))
    assert found(tmp_path) == {}
    commit(committer, made, 1, [(3, "2020-01-01", "10")], at("11:00:00"))
    assert found(tmp_path) == {}  # it must be later
    committer = committer_of(made)  # a restart
    commit(committer, made, 2, [], at("11:00:00.001"))
    assert found(tmp_path) == {"day=2020-01-01/hour=10": ([1, 3], True)}
    commit(committer, made, 3, [], at("12:00:01"))
    assert found(tmp_path)["day=2020-01-01/hour=11"] == ([2], True)


def test_late_rows_are_visible_at_once_and_the_partition_is_committed_again(tmp_path):
    made = sink(tmp_path, BY_HOUR)
    committer = committer_of(made)
    commit(committer, made, 0, [(1, "2020-01-01", "10")], at("10:30"))
    success = tmp_path / "day=2020-01-01/hour=10/_SUCCESS"
    success.unlink()
    commit(committer, made, 1, [], at("10:40"))
    assert not success.exists()
    commit(committer, made, 2, [(2, "2020-01-01", "10")], at("12:00"))
    assert found(tmp_path) == {"day=2020-01-01/hour=10": ([1, 2], True)}


def test_without_a_watermark_the_end_of_the_job_completes_them(tmp_path):
    made = sink(tmp_path, BY_HOUR)
    committer = committer_of(made)
    commit(committer, made, 0, [(1, "2020-01-01", "10")], MIN_WATERMARK)
    assert found(tmp_path) == {}
    commit(committer, made, 1, [(2, "x", "10")], MIN_WATERMARK, final=True)
    assert found(tmp_path) == {"day=2020-01-01/hour=10": ([1], True), "day=x/hour=10": ([2], True)}


def test_the_clock_completes_a_partition_after_a_delay(tmp_path, monkeypatch):
    now = 1_000.0
    monkeypatch.setattr(committer_module.time, "time", lambda: now)
    made = sink(tmp_path, {KIND: "success-file", DELAY: "1 min"})
    assert made.consumed.clock and not made.consumed.watermarks
    committer = committer_of(made)
    commit(committer, made, 0, [(1, "a", "b")], 0)
    assert (found(tmp_path), committer.next_due) == ({}, 1_060_001)
    now += 60
    commit(committer, made, 1, [], 0)
    assert found(tmp_path) == {}
    now += 0.001
    commit(committer, made, 2, [], 0)
    assert (found(tmp_path), committer.next_due) == ({"day=a/hour=b": ([1], True)}, None)


def test_without_a_delay_each_epoch_completes_its_partitions(tmp_path):
    made = sink(tmp_path, {KIND: "success-file", "sink.partition-commit.success-file.name": "_done"})
    commit(committer_of(made), made, 0, [(1, "a", "b"), (2, None, "")], 0)
    assert sorted(name.parent.name for name in tmp_path.rglob("_done")) == ["hour=__DEFAULT_PARTITION__", "hour=b"]


def test_another_job_completes_what_one_without_a_checkpoint_has_left(tmp_path):
    made = sink(tmp_path, BY_HOUR)
    committer = committer_of(made)
    commit(committer, made, 0, [(1, "2020-01-01", "10")], at("09:00"))
    committer.close()
    second = committer_of(made, job="other")
    second.advance(at("09:30"))
    second.commit(0, write_epoch(made, 0, lambda n: [(2, "2020-01-01", "11")], 1, job="other"), False)
    assert found(tmp_path) == {"day=2020-01-01/hour=10": ([1], False)}
    second.advance(at("10:30"))
    second.commit(1, [], False)
    assert found(tmp_path) == {"day=2020-01-01/hour=10": ([1], True)}


def test_whatever_call_a_commit_dies_in_success_comes_last(tmp_path, monkeypatch):
    faults = Faults(monkeypatch)
    for die_at in itertools.count(1):
        path = tmp_path / str(die_at)
        made = sink(path, BY_HOUR)
        commit(committer_of(made), made, 0, [(1, "2020-01-01", "10")], at("09:00"))
        prepared = write_epoch(made, 1, lambda n: [(2, "2020-01-01", "10")] if n == 0 else [])
        committer = committer_of(made)
        committer.advance(at("10:30"))
        faults.left, died = die_at, False
        try:
            committer.commit(1, prepared, False)
        except Crash:
            died = True
        faults.left = None
        numbers, success = found(path).get("day=2020-01-01/hour=10", ([], False))
        assert numbers == [1, 2] if success else True, die_at
        committer = committer_of(made)
        commit(committer, made, 1, [(2, "2020-01-01", "10")], at("10:30"))
        assert found(path) == {"day=2020-01-01/hour=10": ([1, 2], True)}, die_at
        shutil.rmtree(path)
        if not died:
            break
    assert die_at > 8


class Remote:
    """A base path on S3 or in the memory of fsspec, and a process that dies at a call which changes something there."""

    CALLS = ("publish", "write_state", "write_empty", "remove")

    def __init__(self, name, s3, patch):
        self.left = None
        folder = uuid.uuid4().hex
        self._memory = fsspec.filesystem("memory")
        self.uri = s3.uri(folder) if name == "s3" else f"memory://{folder}"
        self._s3, self._folder = s3 if name == "s3" else None, folder
        kind = S3Uploads if name == "s3" else StagedFiles
        for call in self.CALLS:
            patch.setattr(kind, call, self._dying(getattr(kind, call)))

    def _dying(self, real):
        def call(*args):
            self._count()
            result = real(*args)
            self._count()
            return result

        return call

    def _count(self):
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                self.left = None
                raise Crash

    def found(self):
        """As `found`."""
        if self._s3 is not None:
            files = {key: self._s3.read(key) for key in self._s3.visible(f"{self._folder}/")}
        else:
            files = {path: self._memory.cat(path) for path in self._memory.find(f"/{self._folder}")}
        partitions = {}
        for path, data in files.items():
            place, _, name = path.partition(f"{self._folder}/")[2].rpartition("/")
            if "." not in place:
                numbers, success = partitions.get(place, ([], False))
                numbers = sorted([*numbers, *(json.loads(line)["n"] for line in data.splitlines())])
                partitions[place] = numbers, success or name == "_SUCCESS"
        return partitions


@pytest.mark.long
@pytest.mark.parametrize("store", ["s3", "memory"])
def test_whatever_call_a_commit_to_a_remote_path_dies_in(request, monkeypatch, store):
    s3 = request.getfixturevalue("s3") if store == "s3" else None
    for die_at in itertools.count(1):
        with monkeypatch.context() as patch:
            remote = Remote(store, s3, patch)
            made = sink(remote.uri, BY_HOUR)
            commit(committer_of(made), made, 0, [(1, "2020-01-01", "10"), (5, "2020-01-01", "11")], at("09:00"))
            prepared = write_epoch(made, 1, lambda n: [(2, "2020-01-01", "10")] if n == 0 else [])
            committer = committer_of(made)
            committer.advance(at("10:30"))
            remote.left, died = die_at, False
            try:
                committer.commit(1, prepared, False)
            except Crash:
                died = True
            remote.left = None
            numbers, success = remote.found()["day=2020-01-01/hour=10"]
            assert numbers == [1, 2] if success else True, die_at
            committer = committer_of(made)
            commit(committer, made, 1, [(2, "2020-01-01", "10")], at("10:30"))
            assert remote.found() == {
                "day=2020-01-01/hour=10": ([1, 2], True),
                "day=2020-01-01/hour=11": ([5], False),
            }, die_at
            commit(committer, made, 2, [(3, "2020-01-01", "10")], at("10:30"), True)  # late, and the end
            assert remote.found() == {
                "day=2020-01-01/hour=10": ([1, 2, 3], True),
                "day=2020-01-01/hour=11": ([5], True),
            }
        if not died:
            break
    assert die_at > 8


@pytest.mark.long
def test_overwriting_and_a_custom_policy_on_s3(s3):
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    path = s3.uri("out")
    env.execute_sql(
        "CREATE TABLE t (n INT, day STRING) PARTITIONED BY (day) WITH ('connector' = 'filesystem', 'format' = 'json', "
        f"'path' = '{path}', '{KIND}' = 'custom,success-file', "
        f"'sink.partition-commit.policy.class' = '{NotingPaths.__module__}.NotingPaths')"
    )
    NotingPaths.seen.clear()
    env.execute_sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')").wait()
    env.execute_sql("INSERT OVERWRITE t VALUES (3, 'a')").wait()
    assert sorted(tuple(row) for row in env.execute_sql("SELECT * FROM t").collect()) == [(2, "b"), (3, "a")]
    assert [key for key in s3.visible() if key.endswith("_SUCCESS")] == ["out/day=a/_SUCCESS", "out/day=b/_SUCCESS"]
    assert NotingPaths.seen == [(day, s3.uri(f"out/day={day}")) for day in "aba"]


@pytest.mark.parametrize(
    ("pattern", "formatter", "values", "expected"),
    [
        (None, None, ["2020-1-2"], "2020-01-02T00:00:00"),
        (None, None, ["2020-13-2 25:61:00"], "2021-01-03T02:01:00"),
        (None, None, ["2020-02-31"], "2020-03-02T00:00:00"),
        (None, None, ["2020-01-02 10:00:00.5"], "2020-01-02T10:00:00.500000"),
        ("$a $b:00:00", None, ["2020-01-02", "3"], "2020-01-02T03:00:00"),
        ("$a $b:00:00", None, ["2020-01-02", "x"], None),
        (None, None, ["2020-01-02 10:00"], None),
        (None, None, ["2020-01-02T10:00:00"], None),
        (None, "yyyyMMdd", ["20200102"], "2020-01-02T00:00:00"),
        ("$a$b", "yyyyMMddHH", ["20200102", "05"], "2020-01-02T05:00:00"),
        (None, "yyyyMMdd", ["20200231"], "2020-02-29T00:00:00"),
    ],
)
def test_times_of_partitions_are_those_of_flink(pattern, formatter, values, expected):
    extractor = DefaultTimeExtractor(pattern, formatter)
    spec = dict(zip("ab", values, strict=False))
    if expected is None:
        with pytest.raises(ValueError, match="expected a time of the form"):
            extractor.micros(spec)
    else:
        assert datetime.fromisoformat(f"{expected}+00:00").timestamp() * 1_000_000 == extractor.micros(spec)


def test_a_partition_without_a_time_fails_the_job_and_says_why(tmp_path):
    made = sink(tmp_path, BY_HOUR)
    with pytest.raises(
        JobError, match=r"table `c`.`d`.`t`: the partition day=x/hour=10 has no time: expected .*'x 10:"
    ):
        commit(committer_of(made), made, 0, [(1, "x", "10")], 0)


def test_the_time_of_a_zone(tmp_path):
    made = sink(tmp_path, BY_HOUR | {"sink.partition-commit.watermark-time-zone": "Asia/Shanghai"})
    committer = committer_of(made)
    commit(committer, made, 0, [(1, "2020-01-01", "10")], at("02:00:00"))
    assert found(tmp_path) == {}
    commit(committer, made, 1, [], at("02:00:01"))
    assert found(tmp_path) == {"day=2020-01-01/hour=10": ([1], True)}


class Noting:
    """A policy of users."""

    seen: list = []

    def __init__(self, *texts):
        self.texts = texts

    def commit(self, context):
        self.seen.append(
            (context.table_name(), context.partition_spec(), self.texts, os.listdir(context.partition_path()))
        )


class NotingPaths:
    """Another one, of paths that may be remote."""

    seen: list = []

    def commit(self, context):
        self.seen.append((context.partition_spec()["day"], context.partition_path()))


class Year:
    """A time extractor of users."""

    def extract(self, keys, values):
        assert keys == ["day", "hour"]
        return datetime(int(values[0]), 1, 1)


def test_policies_and_time_extractors_are_python_classes(tmp_path):
    options = BY_HOUR | {
        KIND: "custom,success-file",
        "sink.partition-commit.policy.class": f"{__name__}.Noting",
        "sink.partition-commit.policy.class.parameters": "x;y",
        "partition.time-extractor.kind": "custom",
        "partition.time-extractor.class": f"{__name__}.Year",
    }
    made = sink(tmp_path, options)
    Noting.seen.clear()
    commit(committer_of(made), made, 0, [(1, "2019", "10"), (2, "2021", "1")], at("01:00"))
    assert found(tmp_path) == {"day=2019/hour=10": ([1], True)}
    [(name, spec, texts, files)] = Noting.seen
    assert (name, spec, texts) == ("t", {"day": "2019", "hour": "10"}, ("x", "y"))
    assert [file.startswith("part-") for file in files] == [True]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({KIND: "foo"}, ValidationError, "expected success-file, custom, or both .*, got 'foo'"),
        ({KIND: "success-file, custom"}, ValidationError, "got ' custom'"),
        ({KIND: "metastore,success-file"}, UnsupportedOperation, "only tables of Hive have a metastore"),
        ({KIND: "custom"}, ValidationError, "'sink.partition-commit.policy.class' is missing"),
        ({KIND: "custom", "sink.partition-commit.policy.class": "x.Y"}, ValidationError, "x.Y cannot be made"),
        ({TRIGGER: "foo"}, ValidationError, "expected one of process-time, partition-time, got 'foo'"),
        ({"sink.partition-commit.watermark-time-zone": "Mars/X"}, ValidationError, "watermark-time-zone.*'Mars/X'"),
        ({"partition.time-extractor.timestamp-formatter": "yyyy"}, ValidationError, "has no day of the month"),
        ({"partition.time-extractor.timestamp-formatter": "b{"}, ValidationError, "timestamp-formatter"),
    ],
)
def test_what_is_refused(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        sink(tmp_path, options)


def test_a_job_in_batch_mode_commits_all_of_its_partitions_or_the_table(tmp_path):
    t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for name, keys in (("parts", "PARTITIONED BY (day)"), ("whole", "")):
        t_env.execute_sql(
            f"CREATE TABLE {name} (n INT, `day` STRING) {keys} WITH ('connector' = 'filesystem', 'format' = 'json', "
            f"'path' = '{tmp_path}/{name}', '{KIND}' = 'success-file', '{TRIGGER}' = 'partition-time')"
        )
        t_env.execute_sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')").wait()
    assert found(tmp_path / "parts") == {"day=a": ([1], True), "day=b": ([2], True)}
    assert found(tmp_path / "whole") == {".": ([1, 2], True)}


@pytest.mark.parametrize("shuffled", ["true", "false"])
def test_the_watermark_of_the_query_completes_partitions_while_the_job_runs(tmp_path, shuffled):
    """The source does not end, so what is complete is so by the watermark alone."""
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)
    t_env = StreamTableEnvironment.create(env)
    (tmp_path / "in").mkdir()
    t_env.execute_sql(
        "CREATE TABLE readings (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', "
        f"'path' = '{tmp_path}/in', 'format' = 'json', 'source.monitor-interval' = '20 ms')"
    )
    options = ", ".join(f"'{name}' = '{value}'" for name, value in BY_HOUR.items())
    t_env.execute_sql(
        "CREATE TABLE hours (n INT, `day` STRING, `hour` STRING) PARTITIONED BY (`day`, `hour`) WITH ("
        f"'connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = 'json', "
        f"'sink.shuffle-by-partition.enable' = '{shuffled}', {options})"
    )
    job = t_env.execute_sql(
        "INSERT INTO hours SELECT n, DATE_FORMAT(ts, 'yyyy-MM-dd'), DATE_FORMAT(ts, 'HH') FROM readings"
    ).get_job_client()
    try:
        for n, (time, expected) in enumerate(
            [
                ("10:00:00", None),
                ("11:00:00", {"day=2020-01-01/hour=10": ([0], True)}),
                ("12:00:01", {f"day=2020-01-01/hour={10 + n}": ([n], True) for n in range(3)}),
            ]
        ):
            (tmp_path / "new").write_text(json.dumps({"n": n, "ts": f"2020-01-01 {time}"}) + "\n")
            (tmp_path / "new").rename(tmp_path / "in" / f"{n}.json")
            if expected is not None:
                wait_until(
                    lambda expected=expected: found(tmp_path / "out") == expected,
                    "the partitions",
                    seen=lambda: found(tmp_path / "out"),
                )
    finally:
        job.cancel().result()


def test_the_clock_completes_partitions_of_a_job_that_gets_no_more_rows(tmp_path):
    t_env = StreamTableEnvironment.create(StreamExecutionEnvironment.get_execution_environment())
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1").write_text("1,a\n")
    for name, keys, options in (
        ("source", "", "'source.monitor-interval' = '20 ms'"),
        ("hours", "PARTITIONED BY (`day`)", f"'{KIND}' = 'success-file', '{DELAY}' = '200 ms'"),
    ):
        path, form = (tmp_path / "in", "csv") if name == "source" else (tmp_path / "out", "json")
        t_env.execute_sql(
            f"CREATE TABLE {name} (n INT, `day` STRING) {keys} WITH ('connector' = 'filesystem', "
            f"'path' = '{path}', 'format' = '{form}', {options})"
        )
    job = t_env.execute_sql("INSERT INTO hours SELECT * FROM source").get_job_client()
    try:
        wait_until(
            lambda: found(tmp_path / "out") == {"day=a": ([1], True)}, "the partition", seen=lambda: found(tmp_path)
        )
    finally:
        job.cancel().result()


def test_only_files_whose_path_fits_are_read(tmp_path):
    for name in ("a/x1", "a/y2", "b/c/x1", ".h/x1", "a/_x1"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{name}\n")
    t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for pattern, expected in ((f"{tmp_path}/a/.*", ["a/x1", "a/y2"]), (".*/x1", ["a/x1", "b/c/x1"]), ("x1", [])):
        t_env.execute_sql(
            f"CREATE TEMPORARY TABLE t (s STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', "
            f"'format' = 'csv', 'source.path.regex-pattern' = '{pattern}')"
        )
        assert sorted(row[0] for row in t_env.execute_sql("SELECT * FROM t").collect()) == expected
        t_env.execute_sql("DROP TEMPORARY TABLE t")
