"""An error of a job of INSERTs says which tables are written by what has failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.errors import Failure, FunctionError, WorkerFailure
from datastream.spark.failure_seal import Seal
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from datastream.table.udf import udf

HERE = "default_catalog.default_database."
SINKS = [f"sink_{n}" for n in range(8)]


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    (tmp_path / "texts").write_text("1\n2\nmany\n")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    place = f"'connector' = 'filesystem', 'path' = '{tmp_path}/texts'"
    env.execute_sql(f"CREATE TABLE texts (x STRING) WITH ({place}, 'format' = 'raw')")
    env.execute_sql(f"CREATE TABLE numbers (x INT) WITH ({place}, 'format' = 'csv')")
    for name in SINKS:
        env.execute_sql(f"CREATE TABLE {name} (x INT) WITH ('connector' = 'blackhole')")

    @udf(result_type=DataTypes.INT())
    def whole(text: Any) -> int:
        return int(text)

    env.create_temporary_function("whole", whole)
    return env


def failure(tables: TableEnvironment, *selects: str) -> FunctionError:
    statements = tables.create_statement_set()
    for sink, select in zip(SINKS, selects, strict=False):
        statements.add_insert_sql(f"INSERT INTO {sink} {select}")
    with pytest.raises(FunctionError) as failed:
        statements.execute().wait()
    return failed.value


GOOD = "SELECT CAST(CHAR_LENGTH(x) AS INT) FROM texts"


@pytest.mark.parametrize(
    "wrong",
    [
        "SELECT CAST(x AS INT) FROM texts",
        "SELECT whole(x) FROM texts",
        "SELECT MAX(whole(x)) FROM texts GROUP BY CHAR_LENGTH(x)",
        "SELECT n FROM (SELECT whole(x) AS n FROM texts) WHERE n > 1",
        "SELECT a.n FROM (SELECT whole(x) AS n, x FROM texts) AS a JOIN texts AS b ON a.x = b.x",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_table_of_the_insert_that_failed_is_named(tables: TableEnvironment, wrong: str, place: int) -> None:
    selects = [GOOD, GOOD, GOOD]
    selects[place] = wrong
    error = failure(tables, *selects)
    assert error.failure.written == (f"{HERE}{SINKS[place]}",)
    assert f"\n  writes:   {HERE}{SINKS[place]}\n" in str(error)
    assert "'many'" in str(error)


def test_what_several_inserts_share_names_all_of_them_some_of_them_shown(tables: TableEnvironment) -> None:
    error = failure(tables, *["SELECT x FROM numbers"] * len(SINKS))
    assert error.failure.written == tuple(f"{HERE}{name}" for name in SINKS)
    assert f"{HERE}{SINKS[4]}, and 3 more\n" in f"{error}\n" and SINKS[5] not in str(error)


def test_one_insert_is_named_also_when_its_error_comes_from_a_worker(tables: TableEnvironment) -> None:
    error = failure(tables, "SELECT whole(x) FROM texts")
    seal = Seal()
    found = seal.find(seal.text(WorkerFailure(error.failure)))
    assert isinstance(found, Failure) and found.written == (f"{HERE}{SINKS[0]}",)
    assert f"writes:   {HERE}{SINKS[0]}" in str(FunctionError(found))
