"""INSERT OVERWRITE into tables of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError, JobError, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment
from datastream.table.udf import udf


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def tables(tmp_path: Path) -> TableEnvironment:
    made = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    made.get_config().set("parallelism.default", "2")
    for name, columns, rows in (
        ("whole", "n INT, s STRING)", "(1, 'a'), (2, 'b')"),
        ("parts", "n INT, d STRING) PARTITIONED BY (d)", "(1, 'x'), (2, 'y')"),
    ):
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path}/{name}', 'format' = 'parquet'"
        made.execute_sql(f"CREATE TABLE {name} ({columns} WITH ({options})")
        made.execute_sql(f"INSERT INTO {name} VALUES {rows}").wait()
    return made


def rows(tables: TableEnvironment, table: str) -> list[tuple[object, ...]]:
    with tables.execute_sql(f"SELECT * FROM {table}").collect() as found:
        return sorted(tuple(row) for row in found)


@pytest.mark.parametrize(
    ("statement", "whole", "parts"),
    [
        ("whole SELECT n + 10, s FROM whole", [(11, "a"), (12, "b")], [(1, "x"), (2, "y")]),
        ("whole SELECT n, s FROM whole WHERE n > 9", [], [(1, "x"), (2, "y")]),
        ("whole (s) SELECT 'c'", [(None, "c")], [(1, "x"), (2, "y")]),
        ("parts VALUES (3, 'y'), (4, 'z')", [(1, "a"), (2, "b")], [(1, "x"), (3, "y"), (4, "z")]),
        ("parts PARTITION (d = 'x') SELECT n FROM whole", [(1, "a"), (2, "b")], [(1, "x"), (2, "x"), (2, "y")]),
        ("parts SELECT n, s FROM whole WHERE n > 9", [(1, "a"), (2, "b")], [(1, "x"), (2, "y")]),
    ],
)
def test_rows_take_the_place_of_those_that_are_there(tables, statement, whole, parts):
    tables.execute_sql(f"INSERT OVERWRITE {statement}").wait()
    assert (rows(tables, "whole"), rows(tables, "parts")) == (whole, parts)


def test_with_the_table_api(tables, tmp_path):
    tables.sql_query("SELECT 3, 'c'").execute_insert("whole", overwrite=True).wait()
    assert rows(tables, "whole") == [(3, "c")]
    schema = Schema.new_builder().column("n", DataTypes.INT()).column("s", DataTypes.STRING()).build()
    there = TableDescriptor.for_connector("filesystem").schema(schema).option("path", f"{tmp_path}/whole")
    tables.sql_query("SELECT 4, 'd'").execute_insert(there.format("parquet").build(), overwrite=True).wait()
    assert rows(tables, "whole") == [(4, "d")]


def test_one_statement_set_keeps_the_rows_of_all_its_inserts(tables):
    several = tables.create_statement_set()
    several.add_insert("whole", tables.sql_query("SELECT 3, 'c'"), overwrite=True)
    several.add_insert_sql("INSERT OVERWRITE whole SELECT 4, 'd'")
    several.add_insert_sql("INSERT INTO parts SELECT 5, 'x'").execute().wait()
    assert rows(tables, "whole") == [(3, "c"), (4, "d")]
    assert rows(tables, "parts") == [(1, "x"), (2, "y"), (5, "x")]


def test_a_job_that_fails_changes_nothing(tables):
    def broken(n: int) -> int:
        raise ValueError("no")

    tables.create_temporary_function("broken", udf(broken, result_type=DataTypes.INT()))
    with pytest.raises((FunctionError, JobError), match="no"):
        tables.execute_sql("INSERT OVERWRITE whole SELECT broken(n), s FROM whole").wait()
    assert rows(tables, "whole") == [(1, "a"), (2, "b")]
    tables.execute_sql("INSERT OVERWRITE whole SELECT 3, 'c'").wait()
    assert rows(tables, "whole") == [(3, "c")]


def test_what_cannot_be_overwritten(tables):
    tables.execute_sql("CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole')")
    with pytest.raises(ValidationError, match="default_database.gone', 'blackhole', does not: use INSERT INTO"):
        tables.execute_sql("INSERT OVERWRITE gone SELECT 1")
    with pytest.raises(ValidationError, match=r"column 'n' should be in the partition keys list \[d\] for table"):
        tables.execute_sql("INSERT OVERWRITE parts PARTITION (n = 1) SELECT 'x'")
    several = tables.create_statement_set().add_insert_sql("INSERT OVERWRITE whole SELECT 3, 'c'")
    with pytest.raises(ValidationError, match="whole is overwritten and appended to by one statement set"):
        several.add_insert_sql("INSERT INTO whole SELECT 4, 'd'").execute()
    tables.execute_sql("SET 'execution.runtime-mode' = 'streaming'")
    with pytest.raises(ValidationError, match="streaming mode does not support overwrite"):
        tables.execute_sql("INSERT OVERWRITE whole SELECT 3, 'c'")
    assert rows(tables, "whole") == [(1, "a"), (2, "b")]
