"""DataFrames of Spark as sources of jobs."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from datastream import Configuration, JobClient, Row, StreamExecutionEnvironment
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.connectors.spark import SparkSource
from datastream.connectors.spark.batches import Batches
from datastream.errors import (
    CheckpointDamaged,
    CheckpointInUse,
    CheckpointMismatch,
    JobError,
    UnsupportedOperation,
    ValidationError,
)
from datastream.io import Spool
from datastream.spark.checkpoints import directory
from datastream.spark.process.session import session
from datastream.testing.conformance import SourceConformance
from datastream.types import Types
from tests.support.drive import driven, read
from tests.support.processes import Runs, visible_lines
from tests.support.waiting import wait_until


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.end()


ROW = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])
COLUMNS = "id long, name string"


def write_batch(batches: Batches, number: int, *files: list[int]) -> None:
    rows = Path(batches.new_rows(number))
    rows.mkdir()
    for file, ids in enumerate(files):
        table = pa.table({"id": pa.array(ids, pa.int64()), "name": [f"n{id}" for id in ids]})
        parquet.write_table(table, rows / f"part-{file}.parquet", row_group_size=2)
    batches.note(number, str(rows))


def opened(folder: Path) -> Batches:
    batches = Batches(str(folder))
    batches.open()
    (folder / "query").mkdir(exist_ok=True)
    return batches


def source_of(folder: Path, bounded: bool = True, retain_batches: int = 0) -> SparkSource:
    return SparkSource(lambda spark: None, ROW, bounded=bounded, location=folder, retain_batches=retain_batches)


class TestSparkSource(SourceConformance):
    expected = [Row(id=id, name=f"n{id}") for id in range(12)]

    def create(self, folder: Path) -> SparkSource:
        batches = opened(folder / "rows")
        write_batch(batches, 0, [0, 1, 2], [3])
        write_batch(batches, 1)
        write_batch(batches, 2, [4], [], [5, 6, 7, 8, 9])
        write_batch(batches, 3, [10, 11])
        batches.set_end(4)
        return source_of(folder / "rows")


def test_what_was_read_is_removed_but_for_what_is_retained(tmp_path: Path) -> None:
    batches = opened(tmp_path / "in")
    for number in range(5):
        write_batch(batches, number, [number])
    source = source_of(tmp_path / "in", bounded=False, retain_batches=2)
    made = driven(source)
    start = made.initial_offset()
    end = made.latest_offset(start, 4)
    assert [row.id for row in read(made, start, end)] == [0, 1, 2, 3]
    made.enumerator.commit(end)
    assert (batches.numbers(), batches.removed()) == ([2, 3, 4], 2)
    assert sorted(name.split("-")[0] for name in os.listdir(tmp_path / "in" / "rows")) == ["2", "3", "4"]
    with pytest.raises(CheckpointMismatch, match="has read and removed the batches before 2"):
        driven(source).initial_offset()
    with pytest.raises(CheckpointDamaged, match="batch 0 is gone from .*older savepoint.*retain_batches"):
        driven(source).latest_offset(start, 1)
    with pytest.raises(CheckpointDamaged, match="has none from 5 on: it is older than the job's checkpoint"):
        driven(source).latest_offset({**start, "batch": 7}, 1)
    other = opened(tmp_path / "other")
    with pytest.raises(CheckpointMismatch, match="of another location than .*other.*location="):
        driven(source_of(Path(other.folder))).latest_offset(end, 1)


def test_a_folder_without_its_query_is_refused_and_rests_of_a_crash_go(tmp_path: Path) -> None:
    batches = opened(tmp_path)
    write_batch(batches, 0, [1])
    os.mkdir(batches.new_rows(1))
    batches.open()
    assert len(os.listdir(tmp_path / "rows")) == 1
    os.rmdir(batches.query)
    with pytest.raises(CheckpointDamaged, match="the checkpoint .*query of the query that writes them is gone"):
        batches.open()


def test_wrong_settings() -> None:
    with pytest.raises(ValidationError, match="expected a DataFrame, or a function"):
        SparkSource("people", ROW, bounded=True)
    with pytest.raises(ValidationError, match="expected a row type"):
        SparkSource(print, Types.LONG(), bounded=True)
    with pytest.raises(ValidationError, match="reach by the same path, got s3://b"):
        SparkSource(print, ROW, bounded=True, location="s3://b")
    with pytest.raises(ValidationError, match="output_mode must be one of append, update, complete, got 'all'"):
        SparkSource(print, ROW, bounded=True, output_mode="all")
    with pytest.raises(ValidationError, match="retain_batches must be an int of at least 0, got -1"):
        SparkSource(print, ROW, bounded=True, retain_batches=-1)
    with pytest.raises(ValidationError, match="trigger must be a text such as '10 seconds', got 10"):
        SparkSource(print, ROW, bounded=False, trigger=10)  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="leave it out with available_now"):
        SparkSource(print, ROW, bounded=True, trigger="1 second", available_now=True)
    with pytest.raises(UnsupportedOperation, match="on a remote file system"):
        SparkSource(print, ROW, bounded=True).batches(Spool(None, "uid"))


def test_the_local_executor_has_no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    with pytest.raises(UnsupportedOperation, match="'people' reads a DataFrame of Spark, and the local executor"):
        StreamExecutionEnvironment.get_execution_environment().from_spark(lambda spark: None, "people")


# -- on Spark ----------------------------------------------------------------------------------------------


def environment(checkpoint: Path | None = None, savepoint: str | None = None) -> StreamExecutionEnvironment:
    configuration = Configuration()
    if checkpoint is not None:
        configuration.set_string("execution.checkpointing.dir", str(checkpoint))
    if savepoint is not None:
        configuration.set_string("execution.state-recovery.path", savepoint)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    return env


def add_file(folder: Path, *ids: int) -> None:
    aside = folder / f".{ids[0]}"
    aside.write_text("".join(json.dumps({"id": id, "name": f"n{id}"}) + "\n" for id in ids))
    os.replace(aside, folder / f"{ids[0]:03}.json")


def files_in(folder: Path) -> Any:
    return lambda spark: spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(str(folder))


def test_rows_of_all_types_and_a_table_of_them() -> None:
    def frame(spark: Any) -> Any:
        return spark.sql("""
            SELECT 1 AS n, 'x' AS s, 2.5D AS d, CAST(1.25 AS DECIMAL(10, 2)) AS e, DATE '2020-02-03' AS day,
                TIMESTAMP_NTZ '2020-02-03 04:05:06.789' AS t, array(1, NULL) AS a, map('k', 1L) AS m,
                named_struct('x', 1S, 'y', CAST(NULL AS STRING)) AS r, X'0102' AS b, true AS f, TIME '04:05:06.789' AS c
        """)

    (row,) = environment().from_spark(frame, "row").execute_and_collect(limit=1)
    assert (row.n, row.s, row.d, row.e, row.a, row.m, bytes(row.b), row.f) == (
        *(1, "x", 2.5, Decimal("1.25"), [1, None], {"k": 1}, b"\1\2", True),
    )
    assert (str(row.day), str(row.t), row.r) == ("2020-02-03", "2020-02-03 04:05:06.789000", Row(x=1, y=None))
    assert str(row.c) == "04:05:06.789000"

    from datastream.table import StreamTableEnvironment

    env = environment()
    t_env = StreamTableEnvironment.create(env)
    t_env.create_temporary_view("numbers", env.from_spark(lambda spark: spark.range(10), "numbers"))
    with t_env.sql_query("SELECT SUM(id) AS n FROM numbers WHERE id > 3").execute().collect() as results:
        assert list(results)[-1][0] == 39


def test_what_is_there_now_and_later_what_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "in"
    folder.mkdir()

    def run() -> list[int]:
        stream = environment(tmp_path / "checkpoint").from_spark(files_in(folder), "people", available_now=True)
        return sorted(row.id for row in stream.uid("people").execute_and_collect())

    add_file(folder, 1, 2)
    add_file(folder, 3)
    assert run() == [1, 2, 3]
    add_file(folder, 4)
    monkeypatch.setattr(directory, "_finished", set())  # as in another process
    assert run() == [4]


def followed(folder: Path, checkpoint: Path, location: Path | None, savepoint: str | None, out: Path) -> JobClient:
    from datastream import Encoder
    from datastream.connectors.files import FileSink, RollingPolicy

    env = environment(checkpoint, savepoint)
    sink = FileSink.for_row_format(str(out), Encoder.simple_string_encoder())
    sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy())
    rows = env.from_spark(files_in(folder), "people", location=location).uid("people")
    rows.map(lambda row: str(row.id), Types.STRING()).sink_to(sink.build()).uid("out")
    return env.execute_async("people")


def await_lines(client: JobClient, out: Path, count: int) -> None:
    def there() -> bool:
        if handle_of(client).future.done():
            handle_of(client).future.result()
        return out.exists() and len(visible_lines(out)) >= count

    wait_until(there, "lines")


@pytest.mark.long
def test_a_job_goes_on_from_a_savepoint_only_with_a_location(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    add_file(folder, 0, 1, 2)
    client = followed(folder, tmp_path / "one", tmp_path / "rows", None, out)
    await_lines(client, out, 3)
    savepoint = client.stop_with_savepoint(False, str(tmp_path / "savepoints")).result(60)
    add_file(folder, 3, 4)
    client = followed(folder, tmp_path / "two", tmp_path / "rows", savepoint, out)
    await_lines(client, out, 5)
    client.cancel().result()
    assert sorted(map(int, visible_lines(out))) == [0, 1, 2, 3, 4]
    with pytest.raises(CheckpointMismatch, match="batches of another location"):
        followed(folder, tmp_path / "three", None, savepoint, out).get_job_execution_result().result()


def test_updates_of_an_aggregate_and_a_dataframe_of_the_users_own(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    add_file(folder, 1, 2)
    add_file(folder, 3)

    def counts(spark: Any) -> Any:
        return files_in(folder)(spark).groupBy().count()

    env = environment()
    stream = env.from_spark(counts, "counts", output_mode="update", available_now=True, location=tmp_path / "rows")
    results = sorted(row[0] for row in stream.execute_and_collect())  # files may come in either order
    assert len(results) == 2 and results[1] == 3
    with pytest.raises(CheckpointMismatch, match="has no column 'id'; it has .*'count'.*another DataFrame"):
        list(environment().from_spark(files_in(folder), "files", location=tmp_path / "rows").execute_and_collect())

    spark = session.current()
    assert spark is not None
    stream = environment().from_spark(spark.range(3), "range")
    assert sorted(row.id for row in stream.execute_and_collect()) == [0, 1, 2]


def test_two_sources_have_no_location_in_common(tmp_path: Path) -> None:
    env = environment()
    for name in ("one", "other"):
        env.from_spark(lambda spark: spark.range(3), name, location=tmp_path).print()
    with pytest.raises(CheckpointInUse, match="the location of 'Source: other' is that of another running job"):
        env.execute("two")


def test_a_query_that_fails_fails_the_job(tmp_path: Path) -> None:
    def frame(spark: Any) -> Any:
        from pyspark.sql.functions import udf

        return spark.readStream.format("rate").load().select(udf(lambda n: 1 // 0, "int")("value").alias("n"))

    env = environment()
    env.from_spark(frame, "rates").print()
    with pytest.raises(JobError, match=r"the DataFrame of 'Source: rates' \(made at .*failed: ZeroDivisionError"):
        env.execute("rates")


def rates(spark: Any) -> Any:
    return spark.readStream.format("rate").load()


def test_a_query_that_the_user_stops_fails_the_job() -> None:
    sessions: list[Any] = []

    def frame(spark: Any) -> Any:
        sessions.append(spark)
        return rates(spark)

    env = environment()
    env.from_spark(frame, "rates").print()
    client = env.execute_async("rates")
    wait_until(lambda: sessions[-1].streams.active, "the query")
    sessions[-1].streams.active[0].stop()
    with pytest.raises(JobError, match=r"DataFrame of 'Source: rates' \(made at .*was stopped, and not by the job"):
        client.get_job_execution_result().result(60)


def test_a_source_that_cannot_start_is_named(tmp_path: Path) -> None:
    env = environment()
    env.from_spark(rates, "rates", trigger="soon").print()
    with pytest.raises(JobError, match=r"the DataFrame of 'Source: rates' \(made at .*failed: .*soon"):
        env.execute("rates")
    (tmp_path / "file").touch()
    env = environment()
    env.from_spark(lambda spark: spark.range(3), "range", location=tmp_path / "file").print()
    with pytest.raises(JobError, match="the DataFrame of 'Source: range' .*failed: FileExistsError.*file'"):
        env.execute("range")


def test_locations_may_have_any_characters(tmp_path: Path) -> None:
    """Also those that have a meaning in a URI or a pattern."""
    odd = tmp_path / "a b#c%20ü*[x]{y,z}"
    seen: list[int] = []
    (tmp_path / "in").mkdir()
    add_file(tmp_path / "in", 3, 4)
    env = environment(odd / "checkpoint")
    people = env.from_spark(files_in(tmp_path / "in"), "people", available_now=True, location=odd / "rows")
    rows = env.from_spark(lambda spark: spark.range(3), "range").map(lambda row: Row(id=row.id, name="n"), ROW)
    rows = rows.union(people)
    rows.to_spark(lambda frame, epoch: seen.extend(row.id for row in frame.collect()))
    env.execute("odd")
    assert sorted(seen) == [0, 1, 2, 3, 4]


def test_only_the_error_of_the_job_tells_that_a_query_has_failed(capfd: pytest.CaptureFixture[str]) -> None:
    """PySpark would log it, too, with the stack of Java."""
    env = environment()
    env.from_spark(lambda spark: spark.range(3).selectExpr("1 / (id - 1) AS q"), "numbers").print()
    with pytest.raises(JobError, match=r"the DataFrame of 'Source: numbers' .*DIVIDE_BY_ZERO"):
        env.execute("numbers")
    assert "DIVIDE_BY_ZERO" not in capfd.readouterr().err


def test_what_is_no_dataframe_or_has_a_column_without_counterpart() -> None:
    env = environment()
    with pytest.raises(ValidationError, match="the function of 'x' must return a DataFrame of Spark, got 1"):
        env.from_spark(lambda spark: 1, "x")
    with pytest.raises(ValidationError, match="the DataFrame of 'x': column 'i': Spark's interval .*no counterpart"):
        env.from_spark(lambda spark: spark.sql("SELECT make_interval(1) AS i"), "x")
    with pytest.raises(ValidationError, match=r"column 'd': Spark's decimal\(38,2\) may have more than 20 digits"):
        env.from_spark(lambda spark: spark.sql("SELECT CAST(1.25 AS DECIMAL(38, 2)) AS d"), "x")
    with pytest.raises(ValidationError, match="the DataFrame of 'x': .*names .*must differ: got .'a', 'a'"):
        env.from_spark(lambda spark: spark.sql("SELECT 1 AS a, 2 AS a"), "x")


@pytest.mark.long
def test_jars_of_a_source_are_found_by_spark(runs: Runs, tmp_path: Path) -> None:
    """Also those that only the script names, when Java has started already."""
    for name in ("one", "two"):
        with zipfile.ZipFile(tmp_path / f"{name}.jar", "w") as jar:
            jar.writestr(f"{name}.txt", name)
    job = tmp_path / "job.py"
    job.write_text("""
from datastream import Configuration, StreamExecutionEnvironment

configuration = Configuration()
configuration.set_string("spark.jars", "one.jar,two.jar")
env = StreamExecutionEnvironment.get_execution_environment(configuration)


def found(spark):
    loader = spark._jvm.java.lang.ClassLoader
    names = [(name,) for name in ("one", "two", "three") if loader.getSystemResource(f"{name}.txt") is not None]
    return spark.createDataFrame(names, "name string")


env.from_spark(found, "found").map(lambda row: row.name).print()
env.execute("found")
""")
    assert sorted(runs.job("-p", "1", str(job)).succeed().split()) == ["one", "two"]
