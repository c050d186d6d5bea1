"""Apache Iceberg: the suites of connectors, and tables that other programs have written and read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.expressions.literals import literal
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent, ManifestWriterV2
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update.snapshot import _FastAppendFiles
from pyiceberg.types import LongType

from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.connectors.iceberg import (
    IcebergSink,
    IcebergSinkBuilder,
    IcebergSource,
    IcebergSourceBuilder,
    committer,
)
from datastream.connectors.iceberg.data_files import WrittenFile
from datastream.connectors.iceberg.overwriting import EpochNotes
from datastream.errors import DataStreamError, ValidationError
from datastream.testing.conformance import SinkConformance, SourceConformance
from datastream.testing.crashes import Calls
from datastream.testing.sink_trial import SinkTrial
from datastream.time import Duration, Instant, WatermarkStrategy
from datastream.types import Row, Types
from tests.support.servers.iceberg_rest import rest_catalog
from tests.support.servers.postgres import postgres
from tests.support.servers.s3 import Bucket

ROW = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])
AWAY = {"type": "rest", "uri": "http://127.0.0.1:9", "token": "s3cret"}


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def properties(folder: Path) -> dict[str, str]:
    folder.mkdir(exist_ok=True, parents=True)
    return {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": str(folder / "w"), "x": "s3cret"}


@contextmanager
def catalog_of(folder: Path) -> Iterator[Catalog]:
    with load_catalog("lake", **properties(folder)) as catalog:
        catalog.create_namespace_if_not_exists("db")
        yield catalog


@contextmanager
def opened(folder: Path, name: str = "db.t") -> Iterator[Table]:
    with catalog_of(folder) as catalog:
        yield catalog.load_table(name)


def rows_of(folder: Path, ids: Iterable[int], **options: Any) -> int:
    """Add rows to a table by another program's writer; the number of the snapshot."""
    numbers = list(ids)
    rows = pa.table({"id": pa.array(numbers, pa.int64()), "name": [f"n{n}" for n in numbers]})
    with catalog_of(folder) as catalog:
        table = catalog.create_table_if_not_exists("db.t", rows.schema)
        table.append(rows, **options)
        snapshot = table.current_snapshot()
        assert snapshot is not None
        return snapshot.snapshot_id


def found(folder: Path, name: str = "db.t") -> list[dict[str, Any]]:
    """What another program reads."""
    with opened(folder, name) as table:
        return table.scan().to_arrow().to_pylist()


def sink(folder: Path, row_type: Any = ROW, table: str = "db.t") -> IcebergSinkBuilder:
    builder = IcebergSink.builder().set_catalog("lake", properties(folder)).set_table(table)
    return builder.set_row_type(row_type).set_create_table()


def source(folder: Path, table: str = "db.t") -> IcebergSourceBuilder:
    return IcebergSource.builder().set_catalog("lake", properties(folder)).set_table(table)


def write(to: IcebergSink, records: list[Any]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection(records, to.row_type).sink_to(to)
    env.execute("write")


def read(of: IcebergSource) -> list[Any]:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    return list(env.from_source(of, WatermarkStrategy.no_watermarks(), "read").execute_and_collect())


class TestIcebergSink(SinkConformance):
    secrets = ("s3cret",)

    def create(self, folder: Path) -> IcebergSink:
        return sink(folder).build()

    def record(self, number: int) -> Row:
        return Row(id=number, name=f"n{number}")

    def written(self, folder: Path) -> Iterable[Row]:
        with catalog_of(folder) as catalog:
            if not catalog.table_exists("db.t"):
                return []
        return [Row(**each) for each in found(folder)]

    def unreachable(self) -> IcebergSink:
        return IcebergSink.builder().set_catalog("away", AWAY).set_table("db.t").set_row_type(ROW).build()


class TestPartitionedIcebergSink(TestIcebergSink):
    def create(self, folder: Path) -> IcebergSink:
        return sink(folder).set_partition_by("name", "bucket(2, id)").build()

    def record(self, number: int) -> Row:
        return Row(id=number, name=f"n {number % 3}/é")


def changes_to(folder: Path, row_type: Any = ROW) -> IcebergSink:
    return replace(sink(folder, row_type).build(), key=("id",), kinds=True, to_tuples=list)


class TestMergingIcebergSink(SinkConformance):
    def create(self, folder: Path) -> IcebergSink:
        with catalog_of(folder) as catalog:
            catalog.create_table_if_not_exists("db.t", pa.schema([("id", pa.int64()), ("name", pa.string())]))
        rows_of(folder, [-1])
        return changes_to(folder)

    def record(self, number: int) -> tuple[int, int, str]:
        return 2 * (number % 2), number, f"n{number}"

    def written(self, folder: Path) -> Iterable[tuple[int, int, str]]:
        return [(2 * (row["id"] % 2), row["id"], row["name"]) for row in found(folder) if row["id"] >= 0]


class TestOverwritingIcebergSink(TestIcebergSink):
    def create(self, folder: Path) -> IcebergSink:
        with catalog_of(folder) as catalog:
            catalog.create_table_if_not_exists("db.t", pa.schema([("id", pa.int64()), ("name", pa.string())]))
        rows_of(folder, [-1])
        return replace(sink(folder).build(), overwrite=True)

    def unreachable(self) -> IcebergSink:
        return replace(super().unreachable(), overwrite=True)


class TestPartitionedOverwritingIcebergSink(TestPartitionedIcebergSink):
    def create(self, folder: Path) -> IcebergSink:
        return replace(super().create(folder), overwrite=True)


class TestIcebergSource(SourceConformance):
    expected = [Row(id=i, name=f"n{i}") for i in range(7)]

    def create(self, folder: Path) -> IcebergSource:
        rows_of(folder, range(3))
        rows_of(folder, range(3, 7))
        return source(folder).build()


class TestUnboundedIcebergSource(SourceConformance):
    expected = [Row(id=i, name=f"n{i}") for i in range(7)]
    secrets = ("s3cret",)

    def create(self, folder: Path) -> IcebergSource:
        for ids in (range(2), range(2, 3), range(3, 7)):
            rows_of(folder, ids)
        builder = source(folder).set_starting_strategy("INCREMENTAL_FROM_EARLIEST_SNAPSHOT")
        return builder.monitor_continuously(Duration.of_millis(1)).build()

    def unreachable(self) -> IcebergSource:
        return IcebergSource.builder().set_catalog("away", AWAY).set_table("db.t").set_row_type(ROW).build()


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
        "clock": (Types.SQL_TIME(), [dt.time(1, 2, 3, 4000), None]),
        "at": (Types.SQL_TIMESTAMP(), [dt.datetime(2026, 1, 1, 1, 2, 3, 456789), None]),
        "z": (Types.INSTANT(), [Instant.of_epoch_milli(-1), None]),
        "n": (Types.BIG_DEC(), [Decimal("1.5"), None]),
        "a": (Types.LIST(Types.INT()), [[1, 2], None]),
        "m": (Types.MAP(Types.STRING(), Types.LONG()), [{"k": 1}, None]),
        "r": (Types.ROW_NAMED(["q"], [Types.LIST(Types.STRING())]), [Row(q=["x"]), None]),
    }
    row = Types.ROW_NAMED(list(kinds), [kind for kind, _ in kinds.values()])
    records = [Row(**{name: values[i] for name, (_, values) in kinds.items()}) for i in range(2)]
    write(sink(tmp_path, row).build(), records)
    with opened(tmp_path) as table:
        types = {field.name: str(field.field_type) for field in table.schema().fields}
        (theirs, empty) = table.scan().to_arrow().to_pylist()
    assert types["y"] == types["s"] == types["i"] == "int" and types["clock"] == "time"
    assert types["at"] == "timestamp" and types["z"] == "timestamptz" and types["n"] == "decimal(38, 18)"
    assert theirs["l"] == 2**62 and theirs["t"] == "ä" * 50 and theirs["day"] == dt.date(1, 1, 1)
    assert theirs["at"] == dt.datetime(2026, 1, 1, 1, 2, 3, 456789) and theirs["r"] == {"q": ["x"]}
    assert theirs["y"] == -128 and theirs["clock"] == dt.time(1, 2, 3, 4000) and set(empty.values()) == {None}
    again = read(source(tmp_path).build())
    shown = [
        repr(record).replace(repr(b"\x00\xff"), "[0, -1]").replace("1.5'", f"1.5{17 * '0'}'") for record in records
    ]
    assert sorted(map(repr, again)) == sorted(shown)


PARTITIONS = {
    "id": Types.LONG(),
    "city": Types.STRING(),
    "at": Types.SQL_TIMESTAMP(),
    "z": Types.INSTANT(),
    "day": Types.SQL_DATE(),
    "n": Types.BIG_DEC(),
    "ok": Types.BOOLEAN(),
}


@pytest.mark.parametrize(
    "by",
    [
        ("city", "ok"),
        ("years(at)", "months(z)", "days(day)"),
        ("days(at)", "hours(z)"),
        ("bucket(4, id)", "bucket(4, city)", "bucket(2, at)"),
        ("bucket(3, day)", "bucket(3, n)"),
        ("truncate(2, city)", "truncate(10, id)"),
        ("day", "at", "n"),
    ],
)
def test_rows_lie_in_the_partitions_that_others_compute(tmp_path: Path, by: tuple[str, ...]) -> None:
    """Others find rows by the partitions of their files alone, so a wrong one loses them."""
    row = Types.ROW_NAMED(list(PARTITIONS), list(PARTITIONS.values()))
    times = [dt.datetime(2026, 1, 31, 23, 59, 59, 999999), dt.datetime(1969, 12, 31, 23, 0), dt.datetime(1970, 1, 1)]
    records = [
        Row(1, "a b/é%=", times[0], Instant.of_epoch_milli(1_500), dt.date(2026, 1, 1), Decimal("1.5"), True),
        Row(-11, "", times[1], Instant.of_epoch_milli(-1), dt.date(1969, 12, 31), Decimal("-1.5"), False),
        Row(29, "äb", times[2], Instant.of_epoch_milli(0), dt.date(1970, 1, 1), Decimal(0), True),
        Row(None, None, None, None, None, None, None),
    ]
    write(sink(tmp_path, row).set_partition_by(*by).build(), records)
    with opened(tmp_path) as table:
        spec, schema = table.spec(), table.schema()
        for task in table.scan().plan_files():
            for each in parquet.read_table(task.file.file_path).to_pylist():
                for field, value in zip(spec.fields, task.file.partition, strict=True):
                    assert value == expected_partition(schema.find_field(field.source_id), field, each)
        for record in records[:3]:
            assert [one["id"] for one in table.scan(f"id = {record[0]}").to_arrow().to_pylist()] == [record[0]]
        assert len(table.scan("id is null").to_arrow()) == 1
    assert sorted(str(each[:5]) for each in map(list, read(source(tmp_path).build()))) == sorted(
        str(list(record)[:5]) for record in records
    )


def expected_partition(column: Any, field: Any, row: dict[str, Any]) -> Any:
    value = row[column.name]
    if value is None:
        return None
    if not isinstance(value, Decimal):
        value = literal(value.isoformat() if isinstance(value, dt.date) else value).to(column.field_type).value
    return field.transform.transform(column.field_type)(value)


@pytest.mark.parametrize(
    ("rows", "by", "words"),
    [
        (Types.ROW_NAMED(["id"], [Types.LONG()]), (), "has a column 'name', which the rows do not have"),
        (Types.ROW_NAMED(["id", "name", "x"], [Types.LONG(), Types.STRING(), Types.INT()]), (), "has no column 'x'"),
        (
            Types.ROW_NAMED(["id", "name"], [Types.INT(), Types.STRING()]),
            (),
            "the table has 'long', and the rows have 'int'",
        ),
        (ROW, ("bucket(2, id)",), r"is partitioned by \[\], and the sink by \['bucket\(2, id\)'\]"),
    ],
)
def test_a_table_with_another_schema_is_refused_before_the_job_runs(
    tmp_path: Path, rows: Any, by: tuple[str, ...], words: str
) -> None:
    rows_of(tmp_path, [1])
    with pytest.raises(ValidationError, match=words):
        sink(tmp_path, rows).set_partition_by(*by).build().validate()


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("weeks(name)", "expected a partition such as"),
        ("bucket(id)", "expected a partition such as"),
        ("days(3, id)", "expected a partition such as"),
        ("days(id)", "the column is of type long"),
        ("x", "'x' is no column of the rows"),
    ],
)
def test_wrong_partitions_are_refused(tmp_path: Path, by: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        sink(tmp_path).set_partition_by(by).build()


def test_a_table_is_made_only_where_that_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match=r"there is no table db\.t of Apache Iceberg in the catalog lake"):
        sink(tmp_path).set_create_table(False).build().validate()
    write(sink(tmp_path).set_table_properties({"write.parquet.compression-codec": "snappy"}).build(), [Row(1, "a")])
    with opened(tmp_path) as table:
        (task,) = table.scan().plan_files()
    assert parquet.read_metadata(task.file.file_path).row_group(0).column(0).compression == "SNAPPY"


def test_columns_are_added_where_schemas_are_merged(tmp_path: Path) -> None:
    rows_of(tmp_path, [1])
    row = Types.ROW_NAMED(["id", "x"], [Types.LONG(), Types.INT()])
    write(sink(tmp_path, row).set_merge_schema().build(), [Row(2, 9)])
    assert sorted(found(tmp_path), key=lambda each: each["id"]) == [
        {"id": 1, "name": "n1", "x": None},
        {"id": 2, "name": None, "x": 9},
    ]
    assert sorted(map(repr, read(source(tmp_path).set_column_names("x").build()))) == ["Row(x=9)", "Row(x=None)"]


def test_the_summary_of_a_snapshot_names_the_epoch(tmp_path: Path) -> None:
    SinkTrial(sink(tmp_path).build(), tmp_path / "trial", Calls()).write([[[Row(1, "a")]], [[Row(2, "b")]]])
    with opened(tmp_path) as table:
        summaries = [snapshot.summary.additional_properties for snapshot in table.snapshots() if snapshot.summary]
    assert [each["datastream.epoch"] for each in summaries] == ["0", "1"]
    assert len({(each["datastream.job-id"], each["datastream.uid"]) for each in summaries}) == 1


def test_branches_and_tags_are_written_and_read(tmp_path: Path) -> None:
    number = rows_of(tmp_path, [1])
    with pytest.raises(ValidationError, match="has no branch 'audit'"):
        sink(tmp_path).set_branch("audit").build().validate()
    with opened(tmp_path) as table:
        table.manage_snapshots().create_branch(number, "audit").create_tag(number, "old").commit()
    write(sink(tmp_path).set_branch("audit").build(), [Row(2, "b")])
    assert [row["id"] for row in found(tmp_path)] == [1]
    assert sorted(row.id for row in read(source(tmp_path).set_branch("audit").build())) == [1, 2]
    assert [row.id for row in read(source(tmp_path).set_tag("old").build())] == [1]


def merged(folder: Path, *epochs: list[list[Any]]) -> list[tuple[int, str]]:
    """What a table has after changes of epochs, by subtask."""
    SinkTrial(changes_to(folder), folder / "trial", Calls()).write(list(epochs))
    return sorted((row["id"], row["name"]) for row in found(folder))


KEYED = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("name", pa.string())])


def keyed_rows_of(folder: Path, ids: Iterable[int]) -> None:
    with catalog_of(folder) as catalog:
        table = catalog.create_table_if_not_exists("db.t", KEYED)
        table.append(pa.Table.from_pylist([{"id": n, "name": f"n{n}"} for n in ids], schema=KEYED))


def test_the_last_change_of_each_key_counts(tmp_path: Path) -> None:
    keyed_rows_of(tmp_path / "t", [1, 2, 3])
    keyed_rows_of(tmp_path / "t", [100, 200])
    changes = [(3, 1, "n1"), (1, 2, "n2"), (2, 2, "x"), (0, 4, "n4"), (2, 4, "y"), (0, 5, "n5"), (3, 5, "n5")]
    assert merged(tmp_path / "t", [changes]) == [(2, "x"), (3, "n3"), (4, "y"), (100, "n100"), (200, "n200")]
    with opened(tmp_path / "t") as table:
        last = table.current_snapshot()
        assert last is not None and last.summary is not None
        # One snapshot an epoch; the file without any of the keys stays.
        assert len(table.snapshots()) == 3 and last.summary.operation.value == "overwrite"
        assert last.summary["deleted-data-files"] == "1"
    assert merged(tmp_path / "u", [[(0, 1, "a")]], [[(3, 1, "a")]], [[(0, 1, "b")]]) == [(1, "b")]
    with opened(tmp_path / "u") as table:
        assert table.schema().identifier_field_names() == {"id"}
    assert not [*(tmp_path / "u/w/db/t/_datastream").glob("**/*.parquet")]


def test_a_key_of_two_subtasks_is_there_once(tmp_path: Path) -> None:
    assert merged(tmp_path, [[(0, 1, "a")], [(0, 1, "a"), (0, 2, "b")]]) == [(1, "a"), (2, "b")]


def test_a_key_is_never_none(tmp_path: Path) -> None:
    rows_of(tmp_path, [1])
    with pytest.raises(DataStreamError, match="column name is a key, and a row has None"):
        write(sink(tmp_path).set_upsert_by("name").build(), [Row(1, "a"), Row(2, None)])
    assert len(found(tmp_path)) == 1


def test_a_merge_beside_another_writer_keeps_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer commits while the rows are merged: it is done again on what is there then."""
    keyed_rows_of(tmp_path, [1])
    merge, others = committer.merged, iter([2])

    def slow(*arguments: Any) -> Any:
        made = merge(*arguments)
        for number in others:
            keyed_rows_of(tmp_path, [number])
            with opened(tmp_path) as table:
                table.upsert(pa.Table.from_pylist([{"id": 1, "name": "changed"}], schema=KEYED), ["id"])
        return made

    monkeypatch.setattr(committer, "merged", slow)
    assert merged(tmp_path, [[(2, 2, "x"), (0, 3, "n3")]]) == [(1, "changed"), (2, "x"), (3, "n3")]
    with opened(tmp_path) as table:
        there = {task.file.file_path for task in table.scan().plan_files()}
    assert {str(path) for path in (tmp_path / "w/db/t/data").glob("merge-*.parquet")} <= there


def test_rows_of_several_key_columns_and_partitions_are_merged(tmp_path: Path) -> None:
    kinds = [Types.STRING(), Types.INT(), Types.SQL_TIMESTAMP(), Types.LIST(Types.INT())]
    builder = sink(tmp_path, Types.ROW_NAMED(["a", "b", "at", "v"], kinds))
    made = builder.set_partition_by("days(at)", "bucket(2, a)").set_upsert_by("a", "b").build()
    at = dt.datetime(2026, 1, 1, 12)
    write(made, [Row("x", 1, at, [1]), Row("x", 2, at, [2]), Row("y", 1, at, None)])
    write(made, [Row("x", 1, at + dt.timedelta(days=1), [3]), Row("z", 1, at, [4])])
    assert sorted((each["a"], each["b"], each["at"].day, each["v"]) for each in found(tmp_path)) == [
        ("x", 1, 2, [3]),
        ("x", 2, 1, [2]),
        ("y", 1, 1, None),
        ("z", 1, 1, [4]),
    ]


def test_committers_of_many_jobs_add_to_one_table(tmp_path: Path) -> None:
    """Three jobs at a time, each with an epoch of its own: no commit is lost."""
    write(sink(tmp_path).build(), [Row(-1, "a")])

    def job(number: int) -> None:
        write(sink(tmp_path).build(), [Row(number, "a")])

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(job, range(6)))
    assert sorted(row["id"] for row in found(tmp_path)) == [*range(-1, 6)]


def test_snapshots_and_times_are_read_as_they_were(tmp_path: Path) -> None:
    numbers = [rows_of(tmp_path, [i]) for i in range(3)]
    with opened(tmp_path) as table:
        times = {snapshot.snapshot_id: snapshot.timestamp_ms for snapshot in table.snapshots()}
    assert [row.id for row in read(source(tmp_path).set_snapshot_id(numbers[0]).build())] == [0]
    millis = times[numbers[1]]
    for at in (dt.datetime.fromtimestamp(millis / 1000, dt.UTC).isoformat(), str(millis)):
        assert sorted(row.id for row in read(source(tmp_path).set_as_of_timestamp(at).build())) == [0, 1]
    with pytest.raises(ValidationError, match="has no snapshot for '2001-01-01'"):
        source(tmp_path).set_as_of_timestamp("2001-01-01").set_row_type(ROW).build().validate()
    with pytest.raises(ValidationError, match="has no snapshot 9"):
        source(tmp_path).set_snapshot_id(9).set_row_type(ROW).build().validate()


EARLIEST = "INCREMENTAL_FROM_EARLIEST_SNAPSHOT"


def follow(builder: IcebergSourceBuilder, count: int) -> list[int]:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    made = builder.monitor_continuously(Duration.of_millis(1)).build()
    stream = env.from_source(made, WatermarkStrategy.no_watermarks(), "follow")
    return [row.id for row in stream.execute_and_collect(limit=count)]


def test_following_begins_where_the_strategy_says(tmp_path: Path) -> None:
    numbers = [rows_of(tmp_path, [i]) for i in range(3)]
    with opened(tmp_path) as table:
        times = {snapshot.snapshot_id: str(snapshot.timestamp_ms) for snapshot in table.snapshots()}
    assert follow(source(tmp_path), 1) == [2]
    assert follow(source(tmp_path).set_starting_strategy("TABLE_SCAN_THEN_INCREMENTAL"), 3) == [0, 1, 2]
    assert follow(source(tmp_path).set_starting_strategy(EARLIEST), 3) == [0, 1, 2]
    assert follow(source(tmp_path).set_start_snapshot_id(numbers[1]), 2) == [1, 2]
    assert follow(source(tmp_path).set_start_snapshot_timestamp(times[numbers[1]]), 2) == [1, 2]
    with pytest.raises(ValidationError, match="takes no snapshot"):
        follow(source(tmp_path).set_starting_strategy(EARLIEST).set_start_snapshot_id(1), 1)
    with pytest.raises(ValidationError, match="takes 'start-snapshot-id'"):
        follow(source(tmp_path).set_starting_strategy("INCREMENTAL_FROM_SNAPSHOT_ID"), 1)


@pytest.mark.parametrize("strategy", ["INCREMENTAL_FROM_LATEST_SNAPSHOT", "TABLE_SCAN_THEN_INCREMENTAL"])
@pytest.mark.parametrize("empty", [True, False])
def test_what_is_added_meanwhile_is_read(tmp_path: Path, strategy: str, empty: bool) -> None:
    with catalog_of(tmp_path) as catalog:
        catalog.create_table("db.t", pa.schema([("id", pa.int64()), ("name", pa.string())]))
    if not empty:
        rows_of(tmp_path, [1])
    builder = source(tmp_path).set_starting_strategy(strategy).monitor_continuously(Duration.of_millis(1))
    enumerator = builder.build().enumerator()
    with closing(enumerator):
        offset = enumerator.initial_offset()
        counts = []
        for ids in ([2], [3, 4]):
            rows_of(tmp_path, ids)
            start, offset = offset, enumerator.latest_offset(offset, 100)
            parts = [part for split in enumerator.splits(start, offset, 2) for part in split]
            counts.append(sum(part.end - part.start for part in parts))
        assert counts == [1 if empty else 2, 2]
        assert enumerator.latest_offset(offset, 100) == offset


def test_an_exclusive_start_leaves_out_the_latest_snapshot(tmp_path: Path) -> None:
    rows_of(tmp_path, [1])
    builder = source(tmp_path).set_starting_strategy("INCREMENTAL_FROM_LATEST_SNAPSHOT_EXCLUSIVE")
    enumerator = builder.monitor_continuously(Duration.of_millis(1)).build().enumerator()
    with closing(enumerator):
        begin = enumerator.initial_offset()
        assert enumerator.latest_offset(begin, 9) == begin
        number = rows_of(tmp_path, [2, 3])
        assert enumerator.latest_offset(begin, 9) == {"snapshot": number, "row": 2, "read": "added"}


def test_snapshots_that_delete_or_rewrite_rows_are_refused_unless_skipped(tmp_path: Path) -> None:
    rows_of(tmp_path / "t", [1, 2])
    with opened(tmp_path / "t") as table:
        table.delete("id = 1")
    rows_of(tmp_path / "t", [3])
    with pytest.raises(DataStreamError, match="snapshot .* of the table .* rewrites rows"):
        follow(source(tmp_path / "t").set_starting_strategy(EARLIEST), 4)
    assert follow(source(tmp_path / "t").set_starting_strategy(EARLIEST).set_skip_overwrites(), 3) == [1, 2, 3]

    rows_of(tmp_path / "u", [1])
    with opened(tmp_path / "u") as table:
        table.delete("id = 1")
    rows_of(tmp_path / "u", [2])
    with pytest.raises(DataStreamError, match="snapshot .* of the table .* deletes rows"):
        follow(source(tmp_path / "u").set_starting_strategy(EARLIEST), 2)
    assert follow(source(tmp_path / "u").set_starting_strategy(EARLIEST).set_skip_deletes(), 2) == [1, 2]


def test_a_snapshot_that_has_expired_fails_the_job(tmp_path: Path) -> None:
    numbers = [rows_of(tmp_path, [i]) for i in range(4)]
    made = source(tmp_path).set_starting_strategy(EARLIEST).monitor_continuously(Duration.of_millis(1)).build()
    with closing(made.enumerator()) as enumerator:
        begin = enumerator.initial_offset()
    with opened(tmp_path) as table:
        table.maintenance.expire_snapshots().by_ids(numbers[:3]).commit()
    with closing(made.enumerator()) as enumerator:
        with pytest.raises(DataStreamError, match="is no longer there, and was not read"):
            enumerator.latest_offset(begin, 10)
        with pytest.raises(DataStreamError, match="the first snapshot of the table .* is no longer there"):
            enumerator.latest_offset({"snapshot": None, "row": 0, "read": "added"}, 10)
        last = {"snapshot": numbers[3], "row": 0, "read": "added"}
        assert enumerator.latest_offset(last, 10) == {**last, "row": 1}


def test_renamed_and_promoted_columns_are_read_by_their_numbers(tmp_path: Path) -> None:
    schema = pa.schema([("a", pa.int32()), ("b", pa.string()), ("c", pa.struct([("x", pa.int32())]))])
    with catalog_of(tmp_path) as catalog:
        table = catalog.create_table("db.t", schema)
        table.append(pa.Table.from_pylist([{"a": 1, "b": "one", "c": {"x": 7}}], schema=schema))
        with table.update_schema() as update:
            update.rename_column("a", "old").update_column("a", field_type=LongType())
        with table.update_schema() as update:
            update.rename_column("b", "a").add_column(("c", "y"), LongType())
        new = table.schema().as_arrow()
        table.append(pa.Table.from_pylist([{"old": 2**40, "a": "two", "c": {"x": 8, "y": 9}}], schema=new))
    assert list(map(repr, read(source(tmp_path).build()))) == [
        "Row(old=1, a='one', c=Row(x=7, y=None))",
        "Row(old=1099511627776, a='two', c=Row(x=8, y=9))",
    ]


def test_rows_that_are_deleted_by_their_positions_are_not_read(tmp_path: Path) -> None:
    rows_of(tmp_path, range(5000))
    gone = (0, 2047, 2048, 4999)
    with opened(tmp_path) as table:
        (task,) = table.scan().plan_files()
        delete_rows(table, task.file, list(gone))
    assert len(found(tmp_path)) == 4996
    assert sorted(row.id for row in read(source(tmp_path).build())) == [i for i in range(5000) if i not in gone]


def delete_rows(table: Table, file: Any, positions: list[int]) -> None:
    """Commit a file of deleted positions, which pyiceberg reads, and does not write."""
    path = f"{table.location()}/data/deletes.parquet"
    fields = [pa.field("file_path", pa.string(), metadata={"PARQUET:field_id": "2147483546"})]
    fields.append(pa.field("pos", pa.int64(), metadata={"PARQUET:field_id": "2147483545"}))
    parquet.write_table(pa.table([[file.file_path] * len(positions), positions], schema=pa.schema(fields)), path)
    made = DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=file.partition,
        record_count=len(positions),
        file_size_in_bytes=Path(path).stat().st_size,
    )
    made.spec_id = 0

    class DeletesWriter(ManifestWriterV2):
        def content(self) -> ManifestContent:
            return ManifestContent.DELETES

    class Deleting(_FastAppendFiles):
        def new_manifest_writer(self, spec: Any) -> Any:
            return DeletesWriter(spec, self.schema(), self.new_manifest_output(), self.snapshot_id, "deflate")

    transaction = table.transaction()
    with Deleting(Operation.OVERWRITE, transaction, table.io) as update:
        update.append_data_file(made)
    transaction.commit_transaction()


def test_tables_lie_in_s3(s3: Bucket, tmp_path: Path) -> None:
    given = {**properties(tmp_path), "warehouse": f"s3://{s3.name}/lake", "s3.endpoint": s3.endpoint}
    given |= {"s3.access-key-id": "key", "s3.secret-access-key": "s3cret", "s3.region": "us-east-1"}
    builder = IcebergSink.builder().set_catalog("lake", given).set_table("db.t").set_row_type(ROW).set_create_table()
    write(builder.set_partition_by("name").build(), [Row(id=1, name="a b"), Row(id=2, name=None)])
    there = IcebergSource.builder().set_catalog("lake", given).set_table("db.t").build()
    assert sorted(map(repr, read(there))) == ["Row(id=1, name='a b')", "Row(id=2, name=None)"]
    with load_catalog("lake", **given) as catalog, catalog.load_table("db.t").update_schema(True) as update:
        update.make_column_optional("id")
    changes = replace(builder.build(), key=("id",), kinds=True, to_tuples=list)
    SinkTrial(changes, tmp_path, Calls()).write([[[(3, 1, "a b"), (2, 2, "x"), (0, 3, "y")]]])
    assert sorted(map(repr, read(there))) == ["Row(id=2, name='x')", "Row(id=3, name='y')"]


@pytest.mark.long
def test_two_writers_at_once_of_a_catalog_in_postgresql(tmp_path: Path) -> None:
    """One adds rows and one merges them, job after job: none is lost, and none is there twice."""
    with postgres() as url:
        given = {**properties(tmp_path), "uri": url.replace("postgresql://", "postgresql+psycopg://")}
        builder = IcebergSink.builder().set_catalog("lake", given).set_table("db.t").set_row_type(ROW)
        adding, merging = builder.set_create_table().build(), builder.set_upsert_by("id").build()
        write(adding, [Row(-1, "first")])

        def job(merges: bool) -> None:
            for n in range(4):
                write(merging if merges else adding, [Row(100 + n // 2 if merges else n, f"n{n}")])

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(job, (False, True)))
        with load_catalog("lake", **given) as catalog:
            table = catalog.load_table("db.t")
            rows = sorted((row["id"], row["name"]) for row in table.scan().to_arrow().to_pylist())
            assert len(table.snapshots()) == 9
    added = [(number, f"n{number}") for number in range(4)]
    assert rows == [(-1, "first"), *added, (100, "n1"), (101, "n3")]


@pytest.mark.long
def test_tables_of_a_rest_catalog_are_written_merged_and_read(tmp_path: Path) -> None:
    """The server is Apache Iceberg's own, in Java: it takes the metadata, and says where another writer was faster."""
    with rest_catalog() as url:
        given = {"type": "rest", "uri": url}

        def into(table: str) -> IcebergSinkBuilder:
            return IcebergSink.builder().set_catalog("rest", given).set_table(table).set_row_type(ROW)

        def rows(table: str) -> list[tuple[int, str]]:
            there = IcebergSource.builder().set_catalog("rest", given).set_table(table).build()
            return sorted((row.id, row.name) for row in read(there))

        write(into("db.t").set_create_table().set_partition_by("bucket(2, id)").build(), [Row(1, "a"), Row(2, "b")])
        changes = replace(into("db.u").set_create_table().build(), key=("id",), kinds=True, to_tuples=list)
        epochs = [[[(0, 1, "a"), (0, 2, "b")]], [[(3, 1, "a"), (2, 2, "x")]]]
        SinkTrial(changes, tmp_path, Calls()).write(epochs)
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(lambda n: write(into("db.t").build(), [Row(10 + n, "c")]), range(6)))
        assert rows("db.t") == [(1, "a"), (2, "b"), *((10 + n, "c") for n in range(6))]
        assert rows("db.u") == [(2, "x")]


def test_a_note_of_an_epoch_that_was_cut_off_is_none(tmp_path: Path) -> None:
    rows_of(tmp_path, [1, 2])
    with opened(tmp_path) as table:
        (file,) = [task.file for task in table.scan().plan_files()]
        files = [WrittenFile(file.file_path, file.file_size_in_bytes, file)]
        notes = EpochNotes(table, "notes/")
        with table.io.new_output(f"{table.location()}/notes/0.avro").create() as cut_off:
            cut_off.write(b"Obj\x01")
        assert notes.files_of(0) is None
        notes.keep(0, files)
        assert [each.path for each in notes.files_of(0) or ()] == [file.file_path]
        notes.drop(0)
        assert notes.files_of(0) is None
