"""The connector ``delta``: tables of Delta Lake in SQL."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from datastream.config.settings import settings
from datastream.errors import DataStreamError, UnsupportedOperation, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(batch: bool = False) -> TableEnvironment:
    mode = EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    return TableEnvironment.create(mode)


def declare(t_env: TableEnvironment, path: Path, columns: str = "id BIGINT, name STRING", rest: str = "") -> None:
    options = "'connector' = 'delta', 'storage.secret' = 's3cret'"
    partitioned, _, more = rest.rpartition("WITH")
    t_env.execute_sql(f"CREATE TABLE t ({columns}) {partitioned} WITH ({options}, 'path' = '{path}'{more})")


def found(path: Path) -> list[dict[str, object]]:
    table = DeltaTable(path).to_pyarrow_table()
    return sorted(table.to_pylist(), key=lambda row: str(row["id"]))


def collected(t_env: TableEnvironment, query: str) -> list[str]:
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in rows)


def test_rows_are_written_and_read_with_fewer_columns(tmp_path: Path) -> None:
    t_env = environment()
    columns = "id BIGINT NOT NULL, d DECIMAL(10, 2), at TIMESTAMP(3), z TIMESTAMP_LTZ(3), p DATE"
    declare(t_env, tmp_path / "t", columns, "PARTITIONED BY (p) WITH")
    t_env.execute_sql(
        "INSERT INTO t VALUES "
        "(1, 1.5, TIMESTAMP '2026-01-01 00:00:00.123', TO_TIMESTAMP_LTZ(5, 3), DATE '2026-01-01'), "
        "(2, CAST(NULL AS DECIMAL(10, 2)), CAST(NULL AS TIMESTAMP(3)), "
        "CAST(NULL AS TIMESTAMP_LTZ(3)), CAST(NULL AS DATE))"
    ).wait()
    schema = DeltaTable(tmp_path / "t").schema()
    kinds = {field.name: (field.type.type, field.nullable) for field in schema.fields}
    assert kinds == {
        "id": ("long", False),
        "d": ("decimal(10,2)", True),
        "at": ("timestamp_ntz", True),
        "z": ("timestamp", True),
        "p": ("date", True),
    }
    assert collected(t_env, "SELECT p, id FROM t") == ["[None, 2]", "[datetime.date(2026, 1, 1), 1]"]
    assert collected(t_env, "SELECT d, at FROM t WHERE id = 1") == [
        "[Decimal('1.50'), datetime.datetime(2026, 1, 1, 0, 0, 0, 123000)]"
    ]
    assert collected(environment_with(tmp_path / "t", columns), "SELECT COUNT(*) FROM t") == ["[2]"]


def environment_with(path: Path, columns: str) -> TableEnvironment:
    t_env = environment(batch=True)
    declare(t_env, path, columns, "PARTITIONED BY (p) WITH")
    return t_env


def test_changes_are_merged_by_the_primary_key(tmp_path: Path) -> None:
    t_env = environment()
    declare(t_env, tmp_path / "t", "name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED")
    t_env.execute_sql("INSERT INTO t SELECT * FROM (VALUES ('a', 1), ('b', 2))").wait()
    t_env.execute_sql(
        "INSERT INTO t SELECT name, COUNT(*) + 9 FROM (VALUES ('a'), ('a'), ('c')) AS v (name) GROUP BY name"
    ).wait()
    assert found(tmp_path / "t") == [
        {"name": "c", "id": 10},
        {"name": "a", "id": 11},
        {"name": "b", "id": 2},
    ]


def test_a_query_that_updates_needs_a_key(tmp_path: Path) -> None:
    t_env = environment()
    declare(t_env, tmp_path / "t", "id BIGINT, name STRING")
    with pytest.raises(ValidationError, match="doesn't support consuming update and delete changes"):
        t_env.execute_sql("INSERT INTO t SELECT COUNT(*), name FROM (VALUES ('a')) AS v (name) GROUP BY name")


def test_overwriting_replaces_the_partitions_that_get_rows(tmp_path: Path) -> None:
    t_env = environment(batch=True)
    declare(t_env, tmp_path / "t", "id BIGINT, name STRING", "PARTITIONED BY (name) WITH")
    t_env.execute_sql("INSERT INTO t VALUES (1, 'a b'), (2, 'b'), (3, 'b')").wait()
    t_env.execute_sql("INSERT OVERWRITE t VALUES (4, 'b'), (5, 'c')").wait()
    assert [(row["id"], row["name"]) for row in found(tmp_path / "t")] == [(1, "a b"), (4, "b"), (5, "c")]


def test_overwriting_replaces_what_another_writer_has_partitioned(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"id": [1, 2], "name": ["a é/%", "b"]}), partition_by=["name"])
    t_env = environment(batch=True)
    declare(t_env, tmp_path / "t", "id BIGINT, name STRING", "PARTITIONED BY (name) WITH")
    t_env.execute_sql("INSERT OVERWRITE t VALUES (4, 'a é/%')").wait()
    assert [(row["id"], row["name"]) for row in found(tmp_path / "t")] == [(2, "b"), (4, "a é/%")]


def test_overwriting_a_table_without_partitions_replaces_all(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"id": [1, 2], "name": ["a", "b"]}))
    t_env = environment(batch=True)
    declare(t_env, tmp_path / "t")
    t_env.execute_sql("INSERT OVERWRITE t VALUES (4, 'd')").wait()
    assert found(tmp_path / "t") == [{"id": 4, "name": "d"}]
    t_env.execute_sql("INSERT OVERWRITE t SELECT * FROM (VALUES (1, 'a')) AS v (id, name) WHERE id > 1").wait()
    assert found(tmp_path / "t") == []


def test_two_overwrites_of_a_statement_set_leave_the_rows_of_both(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"id": [1, 2], "name": ["a", "b"]}), partition_by=["name"])
    t_env = environment(batch=True)
    declare(t_env, tmp_path / "t", "id BIGINT, name STRING", "PARTITIONED BY (name) WITH")
    statements = t_env.create_statement_set()
    statements.add_insert_sql("INSERT OVERWRITE t PARTITION (name = 'b') VALUES (3), (4)")
    statements.add_insert_sql("INSERT OVERWRITE t VALUES (5, 'b')")
    statements.execute().wait()
    assert [(row["id"], row["name"]) for row in found(tmp_path / "t")] == [(1, "a"), (3, "b"), (4, "b"), (5, "b")]


def test_versions_are_read_by_hints(tmp_path: Path) -> None:
    for i in range(2):
        write_deltalake(tmp_path / "t", pa.table({"id": [i], "name": ["a"]}), mode="append")
    t_env = environment(batch=True)
    declare(t_env, tmp_path / "t")
    assert collected(t_env, "SELECT id FROM t /*+ OPTIONS('versionAsOf' = '0') */") == ["[0]"]
    with pytest.raises(ValidationError, match="'startingVersion' is for unbounded reading only"):
        collected(t_env, "SELECT id FROM t /*+ OPTIONS('startingVersion' = '0') */")


def test_new_versions_are_followed(tmp_path: Path) -> None:
    for i in range(3):
        write_deltalake(tmp_path / "t", pa.table({"id": [i], "name": ["a"]}), mode="append")
    t_env = environment()
    declare(t_env, tmp_path / "t", rest="WITH, 'mode' = 'streaming', 'updateCheckIntervalMillis' = '1'")
    rows = []
    with t_env.execute_sql("SELECT id FROM t").collect() as results:
        for row in results:
            rows.append(row[0])
            if len(rows) == 3:
                write_deltalake(tmp_path / "t", pa.table({"id": [3], "name": ["a"]}), mode="append")
            if len(rows) == 4:
                break
    assert sorted(rows) == [0, 1, 2, 3]


def test_a_table_with_other_columns_is_refused(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"id": [1], "other": ["a"]}))
    t_env = environment()
    declare(t_env, tmp_path / "t")
    with pytest.raises(DataStreamError, match="has no column 'name'") as failed:
        t_env.execute_sql("INSERT INTO t VALUES (1, 'a')").wait()
    assert "s3cret" not in str(failed.value)


def test_a_catalog_of_deltas_connector() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE CATALOG c WITH ('type' = 'delta-catalog', 'default-database' = 'd')")
    t_env.use_catalog("c")
    assert (t_env.get_current_database(), t_env.get_catalog("c").list_tables("d")) == ("d", [])
    assert "'type' = 'delta-catalog'" in str(list(t_env.execute_sql("SHOW CREATE CATALOG c").collect())[0][0])
    with pytest.raises(UnsupportedOperation, match="the 'catalog-type' of a delta-catalog is 'in-memory', got 'hive'"):
        t_env.execute_sql("CREATE CATALOG h WITH ('type' = 'delta-catalog', 'catalog-type' = 'hive')")
    with pytest.raises(ValidationError, match="no option 'hive-conf'"):
        t_env.execute_sql("CREATE CATALOG h WITH ('type' = 'delta-catalog', 'hive-conf' = 'x')")


def test_a_path_is_needed_once() -> None:
    t_env = environment()
    t_env.execute_sql("CREATE TABLE t (id INT) WITH ('connector' = 'delta')")
    with pytest.raises(ValidationError, match="one of the options 'table-path' and 'path' must be set"):
        t_env.execute_sql("SELECT * FROM t")


def test_an_empty_text_in_a_key_that_is_a_partition_is_refused(tmp_path: Path) -> None:
    t_env = environment()
    columns = "name STRING, p STRING, id BIGINT, PRIMARY KEY (name, p) NOT ENFORCED"
    declare(t_env, tmp_path / "t", columns, "PARTITIONED BY (p) WITH")
    with pytest.raises(DataStreamError, match="column p is NOT NULL, and a row has the empty text"):
        t_env.execute_sql("INSERT INTO t VALUES ('a', '', 1), ('b', 'x/=%', 2)").wait()
    t_env.execute_sql("INSERT INTO t VALUES ('b', 'x/=%', 2)").wait()
    assert found(tmp_path / "t") == [{"name": "b", "p": "x/=%", "id": 2}]
