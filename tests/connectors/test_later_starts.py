"""What a start of a job that had finished finds: each source tells what is done from what is new."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from datastream import StreamExecutionEnvironment
from datastream.connectors import DataGeneratorSource, NumberSequenceSource
from datastream.connectors.cassandra import CassandraSource
from datastream.connectors.collection import CollectionSource
from datastream.connectors.elasticsearch import ElasticsearchSource
from datastream.connectors.files import FileSource, StreamFormat
from datastream.connectors.jdbc import JdbcSource
from datastream.graph import operators as ops
from datastream.io import NumberedSource, Source
from datastream.table import StreamTableEnvironment
from datastream.types import Types
from tests.support.drive import driven, read


def drained(source: Source, start: Any) -> tuple[list[Any], Any]:
    """All records up to the source's end, and the offset there."""
    made = driven(source)
    records: list[Any] = []
    while not made.finished(start):
        end = made.latest_offset(start, 2)
        assert end != start
        records += read(made, start, end)
        start = end
    return records, start


def later(source: Source, end: Any) -> tuple[list[Any], Any]:
    """What another start reads."""
    return drained(source, driven(source).enumerator.reopen(end))


def test_files_that_have_appeared(tmp_path: Path) -> None:
    def source() -> FileSource:
        return FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path)).build()

    (tmp_path / "b").write_text("1\n2\n")
    assert source().grows
    records, end = drained(source(), driven(source()).initial_offset())
    assert records == ["1", "2"]
    assert later(source(), end) == ([], end)
    (tmp_path / "a").write_text("3\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c").write_text("4\n")
    (tmp_path / "empty").write_text("")
    with (tmp_path / "b").open("a") as grown:
        grown.write("never read\n")
    records, end = later(source(), end)
    assert sorted(records) == ["3", "4"]
    (tmp_path / "b").unlink()
    (tmp_path / "empty").write_text("5\n")
    records, end = later(source(), end)
    assert records == ["5"]
    assert later(source(), end) == ([], end)


def test_rows_above_those_that_were_read(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "rows.db")
    database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT)")
    database.commit()
    source = (
        JdbcSource.builder()
        .set_db_url(f"jdbc:sqlite:{tmp_path / 'rows.db'}")
        .set_table("t")
        .set_partition_column("id")
        .set_type_information(Types.TUPLE([Types.LONG(), Types.STRING()]))
        .build()
    )
    records, end = drained(source, driven(source).initial_offset())
    assert records == []
    for id, word in ((1, "a"), (2, "b"), (7, "c")):
        database.execute("INSERT INTO t VALUES (?, ?)", (id, word))
    database.commit()
    records, end = later(source, end)
    assert records == [(1, "a"), (2, "b"), (7, "c")]
    assert later(source, end) == ([], end)
    database.execute("DELETE FROM t WHERE id > 1")
    database.commit()
    assert later(source, end) == ([], end)
    database.execute("INSERT INTO t VALUES (9, 'd')")
    database.commit()
    assert later(source, end)[0] == [(9, "d")]
    database.close()


class Rows(NumberedSource):
    """Lines of a file, one a record."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def end(self) -> int:
        return len(self.path.read_text().splitlines())

    def read(self, start: int, end: int) -> Any:
        yield self.path.read_text().splitlines()[start:end]


def test_a_source_of_the_users_reads_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("a\nb\nc\n")
    records, end = drained(Rows(path), 0)
    assert records == ["a", "b", "c"]
    assert later(Rows(path), end) == ([], end)
    path.write_text("a\nb\nc\nd\n")
    assert later(Rows(path), end)[0] == ["d"]


def rows(path: Path, *values: tuple[object, str | None]) -> None:
    """Rows of a new table, or more of one that is there."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS t (id TEXT, word TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?)", values)


@pytest.mark.parametrize("query", [None, "SELECT id, word FROM t WHERE word <> 'left out'"])
def test_rows_by_a_text(tmp_path: Path, query: str | None) -> None:
    made = JdbcSource.builder().set_db_url(f"jdbc:sqlite:{tmp_path / 'rows.db'}").set_partition_column("id")
    made = made.set_table("t") if query is None else made.set_sql(query)
    source = made.set_type_information(Types.TUPLE([Types.STRING(), Types.STRING()])).build()
    rows(tmp_path / "rows.db", ("b", "1"), ("d", "2"))
    records, end = drained(source, driven(source).initial_offset())
    assert records == [("b", "1"), ("d", "2")]
    rows(tmp_path / "rows.db", ("a", "below all that was read"), ("d", "equal to the last one"), ("e", "3"))
    records, end = later(source, end)
    assert records == [("e", "3")]
    rows(tmp_path / "rows.db", ("f", "left out"))
    assert later(source, end)[0] == ([] if query else [("f", "left out")])
    rows(tmp_path / "rows.db", ("é", "4"), ("f", None))
    assert len(later(source, end)[0]) == (1 if query else 3)  # NULL is left out by the query's condition


def table_source(options: str, columns: str = "a INT, b STRING", more: str = "") -> Source:
    """The source of a table."""
    tables = StreamTableEnvironment.create(StreamExecutionEnvironment.get_execution_environment())
    tables.execute_sql(f"CREATE TABLE t ({columns}) {more} WITH ({options})")
    tables.to_changelog_stream(tables.sql_query("SELECT * FROM t"))
    (found,) = (op.source for op in tables._session.builder.operators.values() if isinstance(op, ops.Source))
    return found


@pytest.mark.parametrize("form", ["csv", "json", "raw"])
def test_files_of_tables(tmp_path: Path, form: str) -> None:
    lines = {"csv": "{0},x\n", "json": '{{"a": {0}, "b": "x"}}\n', "raw": "{0}\n"}[form]
    columns = "a STRING" if form == "raw" else "a INT, b STRING"

    def source() -> Source:
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = '{form}'"
        return table_source(options, columns)

    (tmp_path / "1").write_text(lines.format(1) + lines.format(2))
    assert source().grows and source().bounded
    records, end = drained(source(), driven(source()).initial_offset())
    assert [str(row[0]) for row in records] == ["1", "2"]
    assert later(source(), end) == ([], end)
    (tmp_path / "2").write_text(lines.format(3))
    (tmp_path / "1").write_text(lines.format(1) + lines.format(2) + lines.format(4))
    records, end = later(source(), end)
    assert [str(row[0]) for row in records] == ["3"]
    assert later(source(), end) == ([], end)


def test_partitions_of_tables_that_have_appeared(tmp_path: Path) -> None:
    def source() -> Source:
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'csv'"
        return table_source(options, more="PARTITIONED BY (b)")

    for name, line in (("b=x", "1\n"), ("b=y", "2\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "part").write_text(line)
    records, end = drained(source(), driven(source()).initial_offset())
    assert sorted(row[0] for row in records) == [1, 2]
    (tmp_path / "b=z").mkdir()
    (tmp_path / "b=z" / "part").write_text("3\n")
    (tmp_path / "b=x" / "another").write_text("4\n")
    records, end = later(source(), end)
    assert sorted(row[0] for row in records) == [3, 4]


def test_a_table_that_looks_for_files_has_no_end(tmp_path: Path) -> None:
    options = f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'csv', 'source.monitor-interval' = '1s'"
    source = driven(table_source(options))
    assert not source.source.bounded
    (tmp_path / "1").write_text("1,x\n")
    end = source.latest_offset(source.initial_offset(), 10)
    (tmp_path / "2").write_text("2,x\n")
    assert source.enumerator.reopen(end) == end, "the next look finds it"


def test_what_is_fixed_by_settings_never_grows() -> None:
    assert not CassandraSource.grows
    assert not ElasticsearchSource.grows
    rows_of_a_table = table_source("'connector' = 'datagen', 'number-of-rows' = '3'")
    assert rows_of_a_table.bounded and not rows_of_a_table.grows
    assert not CollectionSource([1]).grows
    assert not NumberSequenceSource(1, 2).grows
    assert not DataGeneratorSource(str, 3).grows
    remote = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "s3://bucket/in")
    assert not remote.build().grows, "its offset does not name the files that were read"
