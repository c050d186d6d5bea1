"""Tables of the connector filesystem."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from datastream import StreamExecutionEnvironment
from datastream.api.step import node_of
from datastream.config.settings import settings
from datastream.errors import JobError, UnsupportedOperation, ValidationError
from datastream.table import DataTypes
from datastream.table.connectors import TableInfo, connector_for
from datastream.table.plan.relations import Column
from datastream.testing.collecting import collect
from tests.support.drive import Driven, drive

COLUMNS = [
    ("id", DataTypes.INT()),
    ("p", DataTypes.STRING()),
    ("s", DataTypes.STRING()),
    ("at", DataTypes.TIMESTAMP(3)),
    ("d", DataTypes.DECIMAL(10, 2)),
    ("day", DataTypes.DATE()),
]
NAMES = [name for name, _ in COLUMNS]
ROWS = [
    (1, "a", 'x\n"y', 1_706_704_200_500_000, Decimal("1.00"), 19_000),
    (2, None, "e", None, None, 19_001),
    (3, "b/c", "", 0, Decimal("2.50"), 19_000),
]


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


def environment(parallelism=1) -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(parallelism)


def table(path, form, columns=COLUMNS, partition_keys=(), metadata=None, **options) -> TableInfo:
    given = {"connector": "filesystem", "path": str(path), "format": form}
    given |= {name.replace("_", "-"): value for name, value in options.items()}
    physical = tuple(Column(name, kind) for name, kind in columns)
    return TableInfo(("c", "d", "t"), physical, metadata or {}, given, partition_keys=partition_keys)


def write(info, rows):
    env = environment()
    connector_for(info).sink(env.from_collection(rows), info, False, "out")
    env.execute("writes")


def read(info, wanted=NAMES, parallelism=1):
    return collect(connector_for(info).scan(environment(parallelism), info, wanted))


@pytest.mark.parametrize("form", ["json", "csv", "parquet", "orc", "avro"])
def test_rows_go_to_files_and_come_back(form, tmp_path):
    info = table(tmp_path, form, partition_keys=("p", "day"), metadata={"file": "file.name", "size": "file.size"})
    write(info, ROWS)
    assert sorted(read(info)) == ROWS
    folders = {str(path.parent.relative_to(tmp_path)) for path in tmp_path.glob("p=*/day=*/part*")}
    assert folders == {"p=a/day=2022-01-08", "p=__DEFAULT_PARTITION__/day=2022-01-09", "p=b%2Fc/day=2022-01-08"}
    assert sorted(read(info, ["day", "id"])) == [(19_000, 1), (19_000, 3), (19_001, 2)]
    assert read(info, []) == [(), (), ()]
    for name, size in read(info, ["file", "size"]):
        assert name.startswith("part-") and size > 0


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_bad_line_is_an_error_that_says_where_or_is_dropped(form, tmp_path):
    good = '{"id": 1, "s": "a"}\n' if form == "json" else "1,a\n"
    bad = '{"id": "?", "s": "b"}\n{\n' if form == "json" else "?,b\n1\n"
    columns = [("id", DataTypes.INT()), ("s", DataTypes.STRING())]
    (tmp_path / "in").write_text(good + bad + good)
    with pytest.raises(JobError) as error:
        read(table(tmp_path / "in", form, columns), ["id", "s"])
    for part in (str(tmp_path / "in"), f"byte {len(good)}", f"format {form}", "column id", "'?'"):
        assert part in str(error.value)
    rows = read(table(tmp_path / "in", form, columns, **{f"{form}.ignore-parse-errors": "true"}), ["id", "s"])
    assert rows[:2] == [(1, "a"), (None, "b")] and rows[-1] == (1, "a")


def test_lines_of_csv_may_go_over_line_ends(tmp_path):
    (tmp_path / "in").write_text('\ufeff1,"a\nb"\r\n\r\n2,c')
    columns = [("id", DataTypes.INT()), ("s", DataTypes.STRING())]
    assert read(table(tmp_path / "in", "csv", columns), ["s", "id"]) == [("a\nb", 1), ("c", 2)]


def test_lines_of_raw_text_are_written(tmp_path):
    columns = [("line", DataTypes.STRING())]
    write(table(tmp_path, "raw", columns), [("é",), (None,), ("b",)])
    (part,) = tmp_path.glob("part-*")
    assert part.read_bytes() == "é\nb\n".encode()
    with pytest.raises(JobError, match=r"the bytes of a row hold a line end, .* b'x\\ny'"):
        write(table(tmp_path, "raw", columns), [("a",), ("x\ny",)])


@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_what_has_no_form_in_columns_is_named(tmp_path, form):
    info = table(tmp_path, form, [("id", DataTypes.INT()), ("d", DataTypes.DECIMAL(4, 1))])
    with pytest.raises(JobError, match=r"field d: expected .*; the row is \(2, Decimal\('12345.6'\)\)"):
        write(info, [(1, Decimal("1.5")), (2, Decimal("12345.6"))])


def test_files_of_raw_text(tmp_path):
    (tmp_path / "in").write_text("a\nb\n")
    assert read(table(tmp_path / "in", "raw", [("line", DataTypes.STRING())]), ["line"]) == [("a",), ("b",)]


def test_partitions_that_are_wrong(tmp_path):
    folder = tmp_path / "day=yesterday"
    folder.mkdir()
    (folder / "f").write_text('{"id": 1}\n')
    columns = [("id", DataTypes.INT()), ("day", DataTypes.DATE())]
    with pytest.raises(JobError, match="'yesterday' is not a value of the partition column day"):
        read(table(tmp_path, "json", columns, partition_keys=("day",)), ["day"])
    with pytest.raises(JobError, match="lies in no folder p="):
        read(table(tmp_path, "json", [*columns, ("p", DataTypes.INT())], partition_keys=("p",)), ["p"])
    with pytest.raises(ValidationError, match="'q' is no column"):
        connector_for(table(tmp_path, "json", columns, partition_keys=("q",)))


def test_files_in_tasks_of_their_own(tmp_path):
    for number in range(5):
        lines = [json.dumps({"id": number * 100 + i}) for i in range(100)]
        (tmp_path / f"{number}.json").write_text("\n".join(lines))
    rows = read(table(tmp_path, "json", [("id", DataTypes.INT())]), ["id"], parallelism=3)
    assert sorted(rows) == [(n,) for n in range(500)]


def test_what_is_refused(tmp_path):
    info = table(tmp_path, "json")
    assert not connector_for(info).takes_updates(info)
    with pytest.raises(UnsupportedOperation, match="sink.rolling-policy.file-size"):
        connector_for(table(tmp_path, "json", auto_compaction="true"))
    with pytest.raises(ValidationError, match="it has: file.path"):
        other = table(tmp_path, "json", metadata={"m": "file.owner"})
        connector_for(other).scan(environment(), other, ["m"])


def test_what_is_dropped_is_counted_and_logged(tmp_path, caplog):
    (tmp_path / "in").write_text('{"id": 1}\n[]\n{\n')
    info = table(tmp_path / "in", "json", [("id", DataTypes.INT())], **{"json.ignore-parse-errors": "true"})
    stream = connector_for(info).scan(environment(), info, ["id"])
    source = Driven(node_of(stream).operator.source)
    assert drive(source) == [(1,)]
    assert source.reader.inner._dead.get_count() > 0
    assert "a record is dropped" in caplog.text and "expected a JSON object" in caplog.text


def test_a_watched_folder_does_not_end(tmp_path):
    info = table(tmp_path, "json", **{"source.monitor-interval": "1 s"})
    stream = connector_for(info).scan(environment(), info, ["id"])
    assert not node_of(stream).operator.source.bounded
