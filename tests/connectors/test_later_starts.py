"""What a start of a job that had finished finds: each source tells what is done from what is new."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from datastream.connectors import DataGeneratorSource, NumberSequenceSource
from datastream.connectors.collection import CollectionSource
from datastream.connectors.files import FileSource, StreamFormat
from datastream.connectors.jdbc import JdbcSource
from datastream.io import NumberedSource, Source
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


def test_what_is_fixed_by_settings_never_grows() -> None:
    assert not CollectionSource([1]).grows
    assert not NumberSequenceSource(1, 2).grows
    assert not DataGeneratorSource(str, 3).grows
    remote = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "s3://bucket/in")
    assert not remote.build().grows, "its offset does not name the files that were read"
