"""Columnar files as a job's sink and source."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from pyarrow import orc, parquet

from datastream import StreamExecutionEnvironment, WatermarkStrategy
from datastream.config.settings import settings
from datastream.connectors.collect_sink import CollectSink
from datastream.connectors.files import BucketAssigner, FileSink, FileSource, OutputFileConfig
from datastream.connectors.files.orc_format import OrcBulkWriters, OrcColumnarRowInputFormat
from datastream.connectors.files.parquet_format import ParquetBulkWriters, ParquetColumnarRowInputFormat
from datastream.errors import DataStreamError
from datastream.types import Row, Types

ROW = Types.ROW_NAMED(["id", "name", "at"], [Types.LONG(), Types.STRING(), Types.SQL_TIMESTAMP()])
ROWS = [Row(id=i, name=f"n{i}", at=dt.datetime(2020, 1, 1) + dt.timedelta(hours=i)) for i in range(5000)]
FORMATS = {
    "parquet": (ParquetBulkWriters, ParquetColumnarRowInputFormat, parquet.read_table),
    "orc": (OrcBulkWriters, OrcColumnarRowInputFormat, orc.read_table),
}


@pytest.fixture
def env(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)


def write(env, folder, writers, rows, suffix):
    names = OutputFileConfig.builder().with_part_suffix(suffix).build()
    sink = (
        FileSink.for_bulk_format(str(folder), writers)
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .with_output_file_config(names)
        .build()
    )
    env.from_collection(rows).sink_to(sink)
    env.execute("write")


def read(env, folder, file_format):
    source = FileSource.for_bulk_file_format(file_format, str(folder)).build()
    collected = CollectSink()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "files").sink_to(collected)
    env.execute("read")
    collected.close()
    return list(collected)


@pytest.mark.parametrize("name", FORMATS)
def test_a_job_reads_what_a_job_wrote(env, tmp_path, name):
    writers, reader, table = FORMATS[name]
    write(env, tmp_path, writers.for_row_type(ROW), ROWS, f".{name}")
    files = sorted(tmp_path.glob(f"*.{name}"))
    assert files and sum(table(str(file)).num_rows for file in files) == len(ROWS)
    assert sorted(read(env, tmp_path, reader(ROW)), key=lambda row: row.id) == ROWS


def test_a_large_file_is_read_in_several_epochs(env, tmp_path, monkeypatch):
    parquet.write_table(pa.table({"id": range(200_000)}), tmp_path / "f", row_group_size=5000)
    monkeypatch.setattr("datastream.connectors.files.enumerator.LINE_BYTES", 1)
    kind = Types.ROW_NAMED(["id"], [Types.LONG()])
    got = read(env, tmp_path, ParquetColumnarRowInputFormat(kind))
    assert sorted(row.id for row in got) == list(range(200_000))


def test_a_damaged_file_fails_the_job_by_its_name(env, tmp_path):
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 but no more")
    with pytest.raises(DataStreamError, match=r"bad\.parquet is damaged, or no Parquet file"):
        read(env, tmp_path, ParquetColumnarRowInputFormat(ROW))


def test_a_row_that_does_not_fit_fails_the_job_by_its_field(env, tmp_path):
    writers = ParquetBulkWriters.for_row_type(ROW)
    with pytest.raises(DataStreamError, match="field id: expected Long"):
        write(env, tmp_path, writers, [*ROWS[:10], Row(id="x", name="", at=None)], ".parquet")
    assert not list(tmp_path.glob("*.parquet"))
