"""Delta Lake: the suites of connectors, and tables that other programs have written and read."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.connectors.delta import DeltaSink, DeltaSource
from datastream.connectors.delta.location import DeltaLocation
from datastream.errors import DataStreamError, UnsupportedOperation, ValidationError
from datastream.testing.conformance import SinkConformance, SourceConformance
from datastream.testing.crashes import Calls
from datastream.testing.sink_trial import SinkTrial
from datastream.time import Duration, Instant, WatermarkStrategy
from datastream.types import Row, Types
from tests.support.servers.s3 import Bucket

ROW = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])
KEYS = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "s3cret",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}
AWAY = {**KEYS, "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "retry_timeout": "3s", "max_retries": "2"}


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


class TestDeltaSink(SinkConformance):
    ordered = True
    secrets = ("s3cret",)

    def create(self, folder: Path) -> DeltaSink:
        options = {"secret": "s3cret"}
        return DeltaSink.builder().set_path(folder / "t").set_storage_options(options).set_row_type(ROW).build()

    def record(self, number: int) -> Row:
        return Row(id=number, name=f"n{number}")

    def written(self, folder: Path) -> Iterable[Row]:
        if not (folder / "t").exists():
            return []
        table = DeltaTable(folder / "t")
        names = sorted(table.file_uris(), key=lambda uri: int(uri.rpartition("/")[2].split("-")[2]))
        return [Row(**each) for uri in names for each in pa.parquet.read_table(uri).to_pylist()]

    def unreachable(self) -> DeltaSink:
        return DeltaSink.builder().set_path("s3://bucket/t").set_storage_options(AWAY).set_row_type(ROW).build()


class TestPartitionedDeltaSink(TestDeltaSink):
    ordered = False

    def create(self, folder: Path) -> DeltaSink:
        return DeltaSink.builder().set_path(folder / "t").set_row_type(ROW).set_partition_by("name").build()

    def record(self, number: int) -> Row:
        return Row(id=number, name=f"n {number % 3}/é")

    def written(self, folder: Path) -> Iterable[Row]:
        if not (folder / "t").exists():
            return []
        return [Row(**each) for each in DeltaTable(folder / "t").to_pyarrow_table().select(["id", "name"]).to_pylist()]


class TestMergingDeltaSink(SinkConformance):
    def create(self, folder: Path) -> DeltaSink:
        rows_of(folder / "t", [-1])
        return DeltaSink(DeltaLocation.of(folder / "t"), ROW, key=("id",), kinds=True, to_tuples=list)

    def record(self, number: int) -> tuple[int, int, str]:
        return 2 * (number % 2), number, f"n{number}"

    def written(self, folder: Path) -> Iterable[tuple[int, int, str]]:
        rows = DeltaTable(folder / "t").to_pyarrow_table().to_pylist()
        return [(2 * (row["id"] % 2), row["id"], row["name"]) for row in rows if row["id"] >= 0]


class TestOverwritingDeltaSink(SinkConformance):
    def create(self, folder: Path) -> DeltaSink:
        rows_of(folder / "t", [-1])
        return DeltaSink(DeltaLocation.of(folder / "t"), ROW, overwrite=True)

    def record(self, number: int) -> Row:
        return Row(id=number, name=f"n{number}")

    def written(self, folder: Path) -> Iterable[Row]:
        return [Row(**each) for each in DeltaTable(folder / "t").to_pyarrow_table().to_pylist()]


class TestDeltaSource(SourceConformance):
    expected = [Row(id=i, name=f"n{i}") for i in range(7)]

    def create(self, folder: Path) -> DeltaSource:
        rows_of(folder / "t", range(3))
        rows_of(folder / "t", range(3, 7))
        return DeltaSource.builder().set_path(folder / "t").build()


class TestUnboundedDeltaSource(SourceConformance):
    expected = [Row(id=i, name=f"n{i}") for i in range(7)]
    secrets = ("s3cret",)

    def create(self, folder: Path) -> DeltaSource:
        for ids in (range(2), range(2, 3), range(3, 7)):
            rows_of(folder / "t", ids)
        builder = DeltaSource.builder().set_path(folder / "t").set_storage_options({"secret": "s3cret"})
        return builder.set_starting_version(0).monitor_continuously(Duration.of_millis(1)).build()

    def unreachable(self) -> DeltaSource:
        return DeltaSource.builder().set_path("s3://bucket/t").set_storage_options(AWAY).set_row_type(ROW).build()


def rows_of(path: Path, ids: Iterable[int], **options: Any) -> None:
    """Add rows to a table by another program's writer."""
    numbers = list(ids)
    rows = pa.table({"id": pa.array(numbers, pa.int64()), "name": [f"n{n}" for n in numbers]})
    write_deltalake(path, rows, **{"mode": "append", **options})


def write(sink: DeltaSink, records: list[Any]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection(records, sink.row_type).sink_to(sink)
    env.execute("write")


def read(source: DeltaSource) -> list[Any]:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "read")
    return list(stream.execute_and_collect())


def test_values_of_all_types_are_read_by_others_and_again(tmp_path: Path) -> None:
    kinds = {
        "b": (Types.BOOLEAN(), [True, None]),
        "y": (Types.BYTE(), [-128, None]),
        "s": (Types.SHORT(), [7, None]),
        "i": (Types.INT(), [-5, None]),
        "l": (Types.LONG(), [2**62, None]),
        "f": (Types.FLOAT(), [0.5, None]),
        "d": (Types.DOUBLE(), [float("nan"), None]),
        "t": (Types.STRING(), ["ä" * 50, None]),
        "x": (Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"\x00\xff", None]),
        "day": (Types.SQL_DATE(), [dt.date(1, 1, 1), None]),
        "at": (Types.SQL_TIMESTAMP(), [dt.datetime(2026, 1, 1, 1, 2, 3, 456789), None]),
        "n": (Types.BIG_DEC(), [Decimal("1.5"), None]),
        "a": (Types.LIST(Types.INT()), [[1, 2], None]),
        "m": (Types.MAP(Types.STRING(), Types.LONG()), [{"k": 1}, None]),
        "r": (Types.ROW_NAMED(["q"], [Types.INT()]), [Row(q=1), None]),
    }
    row = Types.ROW_NAMED(list(kinds), [kind for kind, _ in kinds.values()])
    records = [Row(**{name: values[i] for name, (_, values) in kinds.items()}) for i in range(2)]
    write(DeltaSink.builder().set_path(tmp_path / "t").set_row_type(row).build(), records)
    found = read(DeltaSource.builder().set_path(tmp_path / "t").set_row_type(row).build())
    assert repr(found) == repr(records).replace(repr(b"\x00\xff"), "[0, -1]").replace("1.5'", f"1.5{17 * '0'}'")
    (found, empty) = DeltaTable(tmp_path / "t").to_pyarrow_table().to_pylist()
    assert found["l"] == 2**62 and found["t"] == "ä" * 50 and found["day"] == dt.date(1, 1, 1)
    assert found["at"] == dt.datetime(2026, 1, 1, 1, 2, 3, 456789) and found["r"] == {"q": 1}
    assert set(empty.values()) == {None}


def test_partitions_of_all_types_are_read_by_others_and_again(tmp_path: Path) -> None:
    kinds = {
        "b": (Types.BOOLEAN(), [True, False, None]),
        "i": (Types.INT(), [-5, 0, None]),
        "t": (Types.STRING(), ["a b/é%=", "x", None]),
        "day": (Types.SQL_DATE(), [dt.date(2026, 1, 1), dt.date(1969, 12, 31), None]),
        "at": (Types.SQL_TIMESTAMP(), [dt.datetime(2026, 1, 1, 1, 2, 3, 456000), dt.datetime(2026, 1, 1), None]),
        "z": (Types.INSTANT(), [Instant.of_epoch_milli(1_500), Instant.of_epoch_milli(-1), None]),
        "n": (Types.BIG_DEC(), [Decimal("1.5"), Decimal(0), None]),
        "id": (Types.LONG(), [1, 2, 3]),
    }
    row = Types.ROW_NAMED(list(kinds), [kind for kind, _ in kinds.values()])
    records = [Row(**{name: values[i] for name, (_, values) in kinds.items()}) for i in range(3)]
    by = [name for name in kinds if name != "id"]
    write(DeltaSink.builder().set_path(tmp_path / "t").set_row_type(row).set_partition_by(*by).build(), records)
    found = read(DeltaSource.builder().set_path(tmp_path / "t").set_row_type(row).build())
    assert sorted((list(each) for each in found), key=lambda row: row[-1]) == [list(each) for each in records]
    theirs = DeltaTable(tmp_path / "t").to_pyarrow_table().sort_by("id").to_pylist()
    points = [dt.datetime(1970, 1, 1, 0, 0, 1, 500_000, dt.UTC), dt.datetime(1969, 12, 31, 23, 59, 59, 999_000, dt.UTC)]
    for each, record, point in zip(theirs, records, [*points, None], strict=True):
        assert [each[name] for name in kinds] == [point if name == "z" else record[name] for name in kinds]


def test_other_programs_skip_files_by_the_bounds_of_their_columns(tmp_path: Path) -> None:
    write(DeltaSink.builder().set_path(tmp_path / "t").set_row_type(ROW).build(), [Row(id=3, name="b"), Row(4, None)])
    log = (tmp_path / "t/_delta_log/00000000000000000001.json").read_text().splitlines()
    stats = next(json.loads(json.loads(line)["add"]["stats"]) for line in log if "add" in json.loads(line))
    assert stats == {
        "numRecords": 2,
        "minValues": {"id": 3, "name": "b"},
        "maxValues": {"id": 4, "name": "b"},
        "nullCount": {"id": 0, "name": 1},
    }
    dataset = DeltaTable(tmp_path / "t").to_pyarrow_dataset()
    assert duckdb.sql("select id from dataset where id > 3").fetchall() == [(4,)]
    assert not list(dataset.get_fragments(filter=pa.compute.field("id") > 4))


def test_an_epoch_that_the_log_has_is_not_committed_again(tmp_path: Path) -> None:
    write(DeltaSink.builder().set_path(tmp_path / "t").set_row_type(ROW).build(), [Row(id=1, name="a")])
    log = "".join(file.read_text() for file in (tmp_path / "t/_delta_log").glob("*.json"))
    assert '"txn":{"appId":"' in log


@pytest.mark.parametrize(
    ("rows", "by", "words"),
    [
        (Types.ROW_NAMED(["id"], [Types.LONG()]), (), "has a column 'name', which the rows do not have"),
        (Types.ROW_NAMED(["id", "name", "x"], [Types.LONG(), Types.STRING(), Types.INT()]), (), "has no column 'x'"),
        (Types.ROW_NAMED(["id", "name"], [Types.INT(), Types.STRING()]), (), "the table has .long., and the rows have"),
        (ROW, ("name",), "is partitioned by"),
    ],
)
def test_a_table_with_another_schema_is_refused_before_the_job_runs(
    tmp_path: Path, rows: Any, by: tuple[str, ...], words: str
) -> None:
    rows_of(tmp_path / "t", [1])
    sink = DeltaSink.builder().set_path(tmp_path / "t").set_row_type(rows).set_partition_by(*by).build()
    with pytest.raises(ValidationError, match=words):
        sink.validate()


def test_columns_are_added_where_schemas_are_merged(tmp_path: Path) -> None:
    rows_of(tmp_path / "t", [1])
    row = Types.ROW_NAMED(["id", "x"], [Types.LONG(), Types.INT()])
    write(DeltaSink.builder().set_path(tmp_path / "t").set_row_type(row).set_merge_schema(True).build(), [Row(2, 9)])
    assert DeltaTable(tmp_path / "t").to_pyarrow_table().sort_by("id").to_pylist() == [
        {"id": 1, "name": "n1", "x": None},
        {"id": 2, "name": None, "x": 9},
    ]
    assert sorted(map(repr, read(DeltaSource.builder().set_path(tmp_path / "t").set_column_names("x").build()))) == [
        "Row(x=9)",
        "Row(x=None)",
    ]


def test_tables_that_ask_more_of_a_writer_are_refused(tmp_path: Path) -> None:
    rows_of(tmp_path / "t", [1])
    DeltaTable(tmp_path / "t").alter.add_constraint({"positive": "id > 0"})
    with pytest.raises(UnsupportedOperation, match="has the constraint 'positive'"):
        DeltaSink.builder().set_path(tmp_path / "t").set_row_type(ROW).build().validate()


def merged(path: Path, *epochs: list[list[Any]]) -> list[tuple[int, str]]:
    """What a table has after changes of epochs, by subtask."""
    sink = DeltaSink(DeltaLocation.of(path), ROW, key=("id",), kinds=True, to_tuples=list)
    SinkTrial(sink, path, Calls()).write(list(epochs))
    return sorted((row["id"], row["name"]) for row in DeltaTable(path).to_pyarrow_table().to_pylist())


def test_the_last_change_of_each_key_counts(tmp_path: Path) -> None:
    rows_of(tmp_path / "t", [1, 2, 3])
    changes = [(3, 1, "n1"), (1, 2, "n2"), (2, 2, "x"), (0, 4, "n4"), (2, 4, "y"), (0, 5, "n5"), (3, 5, "n5")]
    assert merged(tmp_path / "t", [changes]) == [(2, "x"), (3, "n3"), (4, "y")]
    assert merged(tmp_path / "u", [[(0, 1, "a")]], [[(3, 1, "a")]], [[(0, 1, "b")]]) == [(1, "b")]


def test_a_key_of_two_subtasks_is_there_once(tmp_path: Path) -> None:
    assert merged(tmp_path / "t", [[(0, 1, "a")], [(0, 1, "a"), (0, 2, "b")]]) == [(1, "a"), (2, "b")]


def test_a_merge_beside_another_writer_keeps_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer commits while the rows are merged: it is done again on what is there then."""
    rows_of(tmp_path / "t", [1])
    merge, other = DeltaTable.merge, iter([2])

    def slow(self: DeltaTable, *arguments: Any, **named: Any) -> Any:
        for number in other:
            rows_of(tmp_path / "t", [number])
            DeltaTable(tmp_path / "t").update({"name": "'changed'"})
        return merge(self, *arguments, **named)

    monkeypatch.setattr(DeltaTable, "merge", slow)
    assert merged(tmp_path / "t", [[(2, 1, "x"), (0, 3, "n3")]]) == [(1, "x"), (2, "changed"), (3, "n3")]


def test_two_writers_of_a_table_both_keep_their_rows(tmp_path: Path) -> None:
    sink = DeltaSink.builder().set_path(tmp_path / "t").set_row_type(ROW).build()
    write(sink, [Row(id=1, name="a")])
    rows_of(tmp_path / "t", [2])
    write(sink, [Row(id=3, name="c")])
    assert sorted(DeltaTable(tmp_path / "t").to_pyarrow_table()["id"].to_pylist()) == [1, 2, 3]


def test_versions_and_times_are_read_as_they_were(tmp_path: Path) -> None:
    for i in range(3):
        rows_of(tmp_path / "t", [i])
    history = {each["version"]: each["timestamp"] for each in DeltaTable(tmp_path / "t").history()}
    assert [row.id for row in read(DeltaSource.builder().set_path(tmp_path / "t").set_version_as_of(0).build())] == [0]
    at = dt.datetime.fromtimestamp(history[1] / 1000, dt.UTC).isoformat()
    found = read(DeltaSource.builder().set_path(tmp_path / "t").set_timestamp_as_of(at).build())
    assert sorted(row.id for row in found) == [0, 1]
    with pytest.raises(ValidationError, match="has no version for '2001-01-01'"):
        DeltaSource.builder().set_path(tmp_path / "t").set_timestamp_as_of("2001-01-01").build().validate()
    with pytest.raises(ValidationError, match="has no version 9"):
        DeltaSource.builder().set_path(tmp_path / "t").set_version_as_of(9).set_row_type(ROW).build().validate()


def follow(path: Path, count: int, **ignored: bool) -> list[int]:
    builder = DeltaSource.builder().set_path(path).set_starting_version(0)
    builder.monitor_continuously(Duration.of_millis(1))
    builder.set_ignore_deletes(ignored.get("deletes", False)).set_ignore_changes(ignored.get("changes", False))
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_source(builder.build(), WatermarkStrategy.no_watermarks(), "follow")
    return [row.id for row in stream.execute_and_collect(limit=count)]


def test_versions_that_delete_or_rewrite_rows_are_refused_unless_ignored(tmp_path: Path) -> None:
    rows_of(tmp_path / "t", [1, 2])
    DeltaTable(tmp_path / "t").delete("id = 1")
    rows_of(tmp_path / "t", [3])
    with pytest.raises(DataStreamError, match="version 1 of the table .* rewrites rows"):
        follow(tmp_path / "t", 4)
    assert follow(tmp_path / "t", 4, changes=True) == [1, 2, 2, 3]

    rows_of(tmp_path / "u", [1])
    DeltaTable(tmp_path / "u").delete()
    rows_of(tmp_path / "u", [2])
    with pytest.raises(DataStreamError, match="version 1 of the table .* deletes rows"):
        follow(tmp_path / "u", 2)
    assert follow(tmp_path / "u", 2, deletes=True) == [1, 2]


def test_versions_that_are_gone_from_the_log_fail_the_job(tmp_path: Path) -> None:
    for i in range(4):
        rows_of(tmp_path / "t", [i])
    DeltaTable(tmp_path / "t").create_checkpoint()
    (tmp_path / "t/_delta_log/00000000000000000001.json").unlink()
    with pytest.raises(DataStreamError, match="version 1 of the table .* is gone from its log"):
        follow(tmp_path / "t", 4)


def test_only_what_is_added_since_a_time_is_followed(tmp_path: Path) -> None:
    for i in range(3):
        rows_of(tmp_path / "t", [i])
    times = {each["version"]: each["timestamp"] for each in DeltaTable(tmp_path / "t").history()}
    since = dt.datetime.fromtimestamp(times[1] / 1000, dt.UTC).isoformat()
    builder = DeltaSource.builder().set_path(tmp_path / "t").set_starting_timestamp(since)
    env = StreamExecutionEnvironment.get_execution_environment()
    source = builder.monitor_continuously(Duration.of_millis(1)).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "follow")
    assert sorted(row.id for row in stream.execute_and_collect(limit=2)) == [1, 2]


def test_what_is_there_comes_before_what_is_added(tmp_path: Path) -> None:
    rows_of(tmp_path / "t", [1])
    DeltaTable(tmp_path / "t").update({"name": "'x'"})
    builder = DeltaSource.builder().set_path(tmp_path / "t").monitor_continuously(Duration.of_millis(1))
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_source(builder.build(), WatermarkStrategy.no_watermarks(), "follow")
    found = []
    with closing(stream.execute_and_collect()) as rows:
        for row in rows:
            found.append((row.id, row.name))
            if len(found) == 1:
                rows_of(tmp_path / "t", [2])
            else:
                break
    assert found == [(1, "x"), (2, "n2")]


def test_files_with_deletion_vectors_are_refused(tmp_path: Path) -> None:
    rows_of(tmp_path / "t", [1])
    log = tmp_path / "t/_delta_log"
    add = next(json.loads(line) for line in (log / f"{0:020}.json").read_text().splitlines() if '"add"' in line)
    add["add"]["deletionVector"] = {"storageType": "u", "pathOrInlineDv": "x", "sizeInBytes": 1, "cardinality": 1}
    (log / f"{1:020}.json").write_text(json.dumps(add))
    with pytest.raises(DataStreamError, match="has a deletion vector, which this source does not heed"):
        follow(tmp_path / "t", 2)


def test_a_column_that_is_not_null_takes_no_none(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("id", pa.int64(), False), pa.field("name", pa.string())])
    DeltaTable.create(tmp_path / "t", schema)
    with pytest.raises(DataStreamError, match="column id is NOT NULL"):
        write(DeltaSink.builder().set_path(tmp_path / "t").set_row_type(ROW).build(), [Row(id=None, name="a")])
    assert DeltaTable(tmp_path / "t").version() == 0


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    rows_of(tmp_path / "t", [1])
    (file,) = (tmp_path / "t").glob("*.parquet")
    file.write_bytes(b"PAR1" + b"x" * 100)
    with pytest.raises(DataStreamError, match=f"the file {file.name} of the table .* is damaged, or no Parquet file"):
        read(DeltaSource.builder().set_path(tmp_path / "t").build())
    file.unlink()
    with pytest.raises(DataStreamError, match=f"the file {file.name} of the table .* is gone: VACUUM"):
        read(DeltaSource.builder().set_path(tmp_path / "t").build())


def test_compaction_adds_nothing_for_those_who_follow(tmp_path: Path) -> None:
    for i in range(3):
        rows_of(tmp_path / "t", [i])
    DeltaTable(tmp_path / "t").optimize.compact()
    rows_of(tmp_path / "t", [3])
    assert follow(tmp_path / "t", 4) == [0, 1, 2, 3]


def test_an_epoch_of_a_straggler_is_not_committed_twice(tmp_path: Path) -> None:
    """Another process has committed the epoch between the look at the log and the commit."""
    rows_of(tmp_path / "t", [1])
    table = DeltaTable(tmp_path / "t")
    properties = CommitProperties(app_transactions=[Transaction("job/sink", 0)])
    rows_of(tmp_path / "t", [2], commit_properties=properties)
    from deltalake.exceptions import CommitFailedError

    with pytest.raises(CommitFailedError, match="Concurrent transaction"):
        table.create_write_transaction([], "append", table.schema(), [], commit_properties=properties)


def test_tables_lie_in_s3(s3: Bucket, tmp_path: Path) -> None:
    options = {**KEYS, "AWS_ENDPOINT_URL": s3.endpoint}
    path = f"s3://{s3.name}/some/t"
    sink = DeltaSink.builder().set_path(path).set_storage_options(options).set_row_type(ROW).set_partition_by("name")
    write(sink.build(), [Row(id=1, name="a b"), Row(id=2, name=None)])
    source = DeltaSource.builder().set_path(path).set_storage_options(options).build()
    assert sorted(map(repr, read(source))) == ["Row(id=1, name='a b')", "Row(id=2, name=None)"]
    changes = DeltaSink(DeltaLocation.of(path, options), ROW, ("name",), key=("id",), kinds=True, to_tuples=list)
    SinkTrial(changes, tmp_path, Calls()).write([[[(3, 1, "a b"), (2, 2, "x"), (0, 3, "y")]]])
    assert sorted(map(repr, read(source))) == ["Row(id=2, name='x')", "Row(id=3, name='y')"]
    write(replace(sink.build(), overwrite=True), [Row(id=4, name="y")])
    assert sorted(map(repr, read(source))) == ["Row(id=2, name='x')", "Row(id=4, name='y')"]
    follower = DeltaSource.builder().set_path(path).set_storage_options(options).set_starting_version(0)
    with pytest.raises(DataStreamError, match="rewrites rows"):
        env = StreamExecutionEnvironment.get_execution_environment()
        follow = follower.monitor_continuously(Duration.of_millis(1)).build()
        list(env.from_source(follow, WatermarkStrategy.no_watermarks(), "f").execute_and_collect(limit=4))


def test_committers_of_many_jobs_add_to_one_table(tmp_path: Path) -> None:
    """Five jobs at a time, each with an epoch of its own: no commit is lost."""

    def job(number: int) -> None:
        write(DeltaSink.builder().set_path(tmp_path / "t").set_row_type(ROW).build(), [Row(id=number, name="a")])

    with ThreadPoolExecutor(5) as threads:
        list(threads.map(job, range(10)))
    found = sorted(DeltaTable(tmp_path / "t").to_pyarrow_table()["id"].to_pylist())
    assert found == [*range(10)]
