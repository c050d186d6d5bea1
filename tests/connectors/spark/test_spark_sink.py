"""Epochs as DataFrames of Spark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from datastream import Configuration, Row, StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.connectors.spark import SparkSink
from datastream.connectors.spark.committer import EpochFiles
from datastream.errors import FunctionError, JobError, UnsupportedOperation, ValidationError
from datastream.io import Committer, CommitterContext
from datastream.testing.conformance import SinkConformance
from datastream.types import Types

ROW = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])


class OfFiles(SparkSink):
    """A sink whose driver is this process, and whose function writes each epoch into a file of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(print, ROW, location=folder / "rows")
        self.out = str(folder / "out")

    def create_committer(self, context: CommitterContext) -> Committer:
        return super().create_committer(replace(context, ask_driver=write_into(Path(self.out))))


def write_into(out: Path) -> Callable[[Any], None]:
    def write(asked: EpochFiles) -> None:
        out.mkdir(exist_ok=True)
        rows = [row for path in asked.paths for row in parquet.read_table(path).to_pylist()]
        target = out / f"{asked.epoch}.json"
        assert not target.exists() or json.loads(target.read_text()) == rows, "the epoch has other rows than before"
        target.write_text(json.dumps(rows))

    return write


class TestSparkSink(SinkConformance):
    def create(self, folder: Path) -> SparkSink:
        return OfFiles(folder)

    def record(self, number: int) -> Row:
        return Row(id=number, name=f"n{number}")

    def written(self, folder: Path) -> Iterable[Row]:
        out = folder / "out"
        files = sorted(out.iterdir(), key=lambda path: int(path.stem)) if out.exists() else []
        return [Row(**row) for file in files for row in json.loads(file.read_text())]


def test_wrong_settings() -> None:
    with pytest.raises(ValidationError, match="expected a function of a DataFrame and an epoch, got 'people'"):
        SparkSink("people", ROW)  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="reach by the same path, got s3://b"):
        SparkSink(print, ROW, location="s3://b")

    async def later(frame: Any, epoch: int) -> None: ...

    with pytest.raises(ValidationError, match="later must be a plain function: a call of one with async or yield does"):
        SparkSink(later, ROW)
    env = StreamExecutionEnvironment.get_execution_environment()
    with pytest.raises(ValidationError, match="to_spark needs a stream of rows.*records of no declared type"):
        env.from_collection([1]).to_spark(print)
    with pytest.raises(ValidationError, match=r"to_spark needs a stream of rows.*'Map' gives .*LONG|to_spark needs"):
        env.from_collection([1]).map(abs, Types.LONG()).to_spark(print)


def test_the_local_executor_has_no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([Row(1, "x")], ROW).to_spark(print)
    with pytest.raises((JobError, UnsupportedOperation), match="the local executor has no Spark"):
        env.execute("local")


# -- on Spark ----------------------------------------------------------------------------------------------


def environment(checkpoint: Path, restarts: int = 0) -> StreamExecutionEnvironment:
    configuration = Configuration()
    configuration.set_string("execution.checkpointing.dir", str(checkpoint))
    configuration.set_string("datastream.epoch.max-records", "4")
    if restarts:
        configuration.set_string("restart-strategy.type", "fixed-delay")
        configuration.set_string("restart-strategy.fixed-delay.attempts", str(restarts))
        configuration.set_string("restart-strategy.fixed-delay.delay", "1 ms")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    return env


def test_rows_of_all_types(tmp_path: Path) -> None:
    from datetime import date, datetime, time

    names = ["n", "s", "d", "e", "big", "day", "at", "clock", "a", "m", "r", "b", "f"]
    kinds = [
        *(Types.INT(), Types.STRING(), Types.DOUBLE(), Types.BIG_DEC(), Types.BIG_INT(), Types.SQL_DATE()),
        *(Types.SQL_TIMESTAMP(), Types.SQL_TIME(), Types.LIST(Types.INT()), Types.MAP(Types.STRING(), Types.LONG())),
        *(Types.ROW_NAMED(["x"], [Types.SHORT()]), Types.PRIMITIVE_ARRAY(Types.BYTE()), Types.BOOLEAN()),
    ]
    at = datetime(2020, 2, 3, 4, 5, 6, 789)
    record = [1, "x", 2.5, Decimal("1.25"), 10**30, date(2020, 2, 3), at, time(4, 5, 6)]
    record += [[1, 2], {"k": 1}, Row(x=1), b"\1\2", True]
    seen: list[Any] = []

    def see(frame: Any, epoch: int) -> None:
        seen.extend(frame.collect())

    env = environment(tmp_path)
    row_type = Types.ROW_NAMED(names, kinds)
    empty = Row(**dict.fromkeys(names))
    env.from_collection([Row(**dict(zip(names, record, strict=True))), empty], row_type).to_spark(see)
    env.execute("types")
    assert [tuple(row) for row in sorted(seen, key=lambda row: row.n is None)] == [
        (*record[:10], (1,), record[11], True),
        (None,) * len(names),
    ]


def test_an_epoch_comes_again_with_the_same_rows_until_it_is_taken(tmp_path: Path) -> None:
    taken: dict[int, list[int]] = {}
    failed: dict[int, list[int]] = {}

    def take(frame: Any, epoch: int) -> None:
        ids = sorted(row.id for row in frame.where("id >= 0").collect())
        if epoch not in failed and len(failed) < 2:
            failed[epoch] = ids
            raise ConnectionError("the warehouse is away")
        assert failed.get(epoch, ids) == ids
        assert epoch not in taken
        taken[epoch] = ids

    env = environment(tmp_path, restarts=5)
    rows = env.from_sequence(0, 9).map(lambda n: Row(id=n, name=f"n{n}"), ROW)
    rows.to_spark(take, location=tmp_path / "rows")
    env.execute("taken")
    assert sorted(id for ids in taken.values() for id in ids) == list(range(10))
    assert len(failed) == 2 and len(taken) > 2
    assert list((tmp_path / "rows").rglob("*.parquet")) == []


def test_a_function_that_fails_is_named(tmp_path: Path) -> None:
    def refuse(frame: Any, epoch: int) -> None:
        raise ValueError(f"no room for epoch {epoch}")

    env = environment(tmp_path)
    env.from_collection([Row(1, "x")], ROW).to_spark(refuse)
    named = r"'Sink: refuse' failed: ValueError: no room for epoch 0\n.*function: .*refuse\n.*test_spark_sink.py:\d+\n"
    with pytest.raises(FunctionError, match=named):
        env.execute("refused")


def test_decimals_of_a_table_keep_their_digits(tmp_path: Path) -> None:
    from datastream.table import StreamTableEnvironment

    seen: list[Any] = []

    def see(frame: Any, epoch: int) -> None:
        seen.append((frame.schema.simpleString(), [tuple(row) for row in frame.collect()]))

    env = environment(tmp_path)
    t_env = StreamTableEnvironment.create(env)
    prices = t_env.sql_query("SELECT CAST(1.25 AS DECIMAL(10, 2)) AS p, CAST(2.5 AS DECIMAL(38, 7)) AS q")
    t_env.to_data_stream(prices).to_spark(see)
    env.execute("prices")
    assert seen == [("struct<p:decimal(10,2),q:decimal(38,7)>", [(Decimal("1.25"), Decimal("2.5"))])]
