"""The connector ``iceberg``: tables of Apache Iceberg in SQL."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog

from datastream.config.settings import settings
from datastream.connectors.iceberg.location import catalog_properties
from datastream.errors import DataStreamError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(batch: bool = False) -> TableEnvironment:
    mode = EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    return TableEnvironment.create(mode)


def declare(t_env: TableEnvironment, path: Path, columns: str = "id BIGINT, name STRING", rest: str = "") -> None:
    path.mkdir(exist_ok=True)
    options = f"'connector' = 'iceberg', 'catalog-name' = 'c', 'catalog-type' = 'sql', 'warehouse' = '{path}/w', "
    options += f"'uri' = 'sqlite:///{path}/c.db', 'catalog-database' = 'db', 'catalog.secret' = 's3cret'"
    partitioned, _, more = rest.rpartition("WITH")
    t_env.execute_sql(f"CREATE TABLE t ({columns}) {partitioned} WITH ({options}{more})")


def catalog(path: Path) -> Any:
    path.mkdir(exist_ok=True)
    return load_catalog("c", type="sql", uri=f"sqlite:///{path}/c.db", warehouse=f"{path}/w")


def found(path: Path) -> list[dict[str, object]]:
    with catalog(path) as there:
        rows: list[dict[str, object]] = there.load_table("db.t").scan().to_arrow().to_pylist()
    return sorted(rows, key=lambda row: str(row["id"]))


def add(path: Path, ids: list[int], name: str = "a") -> int:
    rows = pa.table({"id": ids, "name": [name] * len(ids)})
    with catalog(path) as there:
        there.create_namespace_if_not_exists("db")
        table = there.create_table_if_not_exists("db.t", rows.schema)
        table.append(rows)
        return int(table.current_snapshot().snapshot_id)


def collected(t_env: TableEnvironment, query: str) -> list[str]:
    with t_env.execute_sql(query).collect() as rows:
        return sorted(str(list(row)) for row in rows)


def test_rows_are_written_and_read_with_fewer_columns(tmp_path: Path) -> None:
    t_env = environment()
    columns = "id BIGINT NOT NULL, d DECIMAL(10, 2), s SMALLINT, at TIMESTAMP(3), z TIMESTAMP_LTZ(3), p DATE, t TIME(0)"
    declare(t_env, tmp_path / "t", columns, "PARTITIONED BY (p) WITH")
    t_env.execute_sql(
        "INSERT INTO t VALUES (1, 1.5, CAST(7 AS SMALLINT), TIMESTAMP '2026-01-01 00:00:00.123', "
        "TO_TIMESTAMP_LTZ(5, 3), DATE '2026-01-01', TIME '01:02:03'), "
        "(2, CAST(NULL AS DECIMAL(10, 2)), CAST(NULL AS SMALLINT), "
        "CAST(NULL AS TIMESTAMP(3)), CAST(NULL AS TIMESTAMP_LTZ(3)), CAST(NULL AS DATE), CAST(NULL AS TIME(0)))"
    ).wait()
    with catalog(tmp_path / "t") as there:
        table = there.load_table("db.t")
        kinds = {field.name: (str(field.field_type), field.required) for field in table.schema().fields}
        assert [str(field.transform) for field in table.spec().fields] == ["identity"]
    assert kinds == {
        "id": ("long", True),
        "d": ("decimal(10, 2)", False),
        "s": ("int", False),
        "at": ("timestamp", False),
        "z": ("timestamptz", False),
        "p": ("date", False),
        "t": ("time", False),
    }
    assert collected(t_env, "SELECT p, id FROM t") == ["[None, 2]", "[datetime.date(2026, 1, 1), 1]"]
    assert collected(t_env, "SELECT d, s, at, t FROM t WHERE id = 1") == [
        "[Decimal('1.50'), 7, datetime.datetime(2026, 1, 1, 0, 0, 0, 123000), datetime.time(1, 2, 3)]"
    ]
    batch = environment(batch=True)
    declare(batch, tmp_path / "t", columns)
    assert collected(batch, "SELECT COUNT(*) FROM t") == ["[2]"]


def test_changes_are_merged_by_the_primary_key_and_other_rows_are_added(tmp_path: Path) -> None:
    t_env = environment()
    declare(t_env, tmp_path / "t", "name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED")
    t_env.execute_sql("INSERT INTO t SELECT * FROM (VALUES ('a', 1), ('b', 2))").wait()
    t_env.execute_sql(
        "INSERT INTO t SELECT name, COUNT(*) + 9 FROM (VALUES ('a'), ('a'), ('c')) AS v (name) GROUP BY name"
    ).wait()
    assert [(row["name"], row["id"]) for row in found(tmp_path / "t")] == [("c", 10), ("a", 11), ("b", 2)]
    t_env.execute_sql("INSERT INTO t SELECT * FROM (VALUES ('b', 3))").wait()
    assert [(row["name"], row["id"]) for row in found(tmp_path / "t") if row["name"] == "b"] == [("b", 2), ("b", 3)]
    with catalog(tmp_path / "t") as there:
        assert there.load_table("db.t").schema().identifier_field_names() == {"name"}


def test_rows_replace_those_of_their_key_where_upserts_are_enabled(tmp_path: Path) -> None:
    t_env = environment()
    upserts = "WITH, 'write.upsert.enabled' = 'true', 'write.partition-by' = 'bucket(2, id);truncate(1, name)'"
    declare(t_env, tmp_path / "t", "id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED", upserts)
    t_env.execute_sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')").wait()
    t_env.execute_sql("INSERT INTO t VALUES (2, 'x'), (4, 'd')").wait()
    assert [(row["id"], row["name"]) for row in found(tmp_path / "t")] == [(1, "a"), (2, "x"), (3, "c"), (4, "d")]
    with catalog(tmp_path / "t") as there:
        table = there.load_table("db.t")
        assert [str(field.transform) for field in table.spec().fields] == ["bucket[2]", "truncate[1]"]
        assert len(table.snapshots()) == 2


def test_what_cannot_be_done_is_refused(tmp_path: Path) -> None:
    t_env = environment(batch=True)
    declare(t_env, tmp_path / "t", rest="WITH, 'write.upsert.enabled' = 'true'")
    with pytest.raises(ValidationError, match="'write.upsert.enabled' needs a PRIMARY KEY"):
        t_env.execute_sql("INSERT INTO t VALUES (1, 'a')")
    t_env.execute_sql("DROP TABLE t")
    declare(t_env, tmp_path / "t")
    with pytest.raises(ValidationError, match="doesn't support consuming update and delete changes"):
        streaming = environment()
        declare(streaming, tmp_path / "t")
        streaming.execute_sql("INSERT INTO t SELECT COUNT(*), name FROM (VALUES ('a')) AS v (name) GROUP BY name")
    add(tmp_path / "t", [1])
    t_env.execute_sql("ALTER TABLE t ADD (x INT)")
    with pytest.raises(DataStreamError, match="has no column 'x'") as failed:
        t_env.execute_sql("INSERT INTO t VALUES (1, 'a', 2)").wait()
    assert "s3cret" not in str(failed.value) and "sqlite" not in str(failed.value)


def test_snapshots_are_read_by_hints(tmp_path: Path) -> None:
    first = add(tmp_path / "t", [0])
    add(tmp_path / "t", [1])
    t_env = environment(batch=True)
    declare(t_env, tmp_path / "t")
    assert collected(t_env, f"SELECT id FROM t /*+ OPTIONS('snapshot-id' = '{first}') */") == ["[0]"]
    with pytest.raises(ValidationError, match="'start-snapshot-id' is for streaming reading only"):
        collected(t_env, "SELECT id FROM t /*+ OPTIONS('start-snapshot-id' = '0') */")


def test_new_snapshots_are_followed(tmp_path: Path) -> None:
    for i in range(3):
        add(tmp_path / "t", [i])
    t_env = environment()
    streaming = "WITH, 'streaming' = 'true', 'monitor-interval' = '1 ms'"
    declare(t_env, tmp_path / "t", rest=f"{streaming}, 'starting-strategy' = 'TABLE_SCAN_THEN_INCREMENTAL'")
    rows = []
    with t_env.execute_sql("SELECT id FROM t").collect() as results:
        for row in results:
            rows.append(row[0])
            if len(rows) == 3:
                add(tmp_path / "t", [3])
            if len(rows) == 4:
                break
    assert sorted(rows) == [0, 1, 2, 3]


def test_files_without_such_rows_are_not_opened(tmp_path: Path) -> None:
    with catalog(tmp_path / "t") as there:
        there.create_namespace("db")
        schema = pa.schema([("id", pa.int64()), ("day", pa.date32()), ("name", pa.string())])
        table = there.create_table("db.t", schema)
        for i in range(1, 4):
            row = {"id": i, "day": dt.date(2026, 1, i), "name": None if i == 3 else f"{'x' * 20}{i}"}
            table.append(pa.Table.from_pylist([row], schema=schema))
        for path in [task.file.file_path for task in table.scan("id > 1").plan_files()]:
            Path(path).unlink()
    t_env = environment(batch=True)
    declare(t_env, tmp_path / "t", "id BIGINT, `day` DATE, name STRING")
    for condition in ("id < 2", "`day` = DATE '2026-01-01'", "id IN (0, 1)", "id = 1 AND name IS NOT NULL"):
        assert collected(t_env, f"SELECT id FROM t WHERE {condition}") == ["[1]"], condition
    assert collected(t_env, "SELECT id FROM t WHERE name IS NULL AND id < 3") == []
    with pytest.raises(DataStreamError, match="is gone: its snapshot has expired"):
        collected(t_env, "SELECT id FROM t WHERE name LIKE '%2'")


def use_catalog(t_env: TableEnvironment, path: Path) -> None:
    path.mkdir(exist_ok=True)
    t_env.execute_sql(
        f"CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'sql', 'uri' = 'sqlite:///{path}/c.db', "
        f"'warehouse' = '{path}/w', 'secret' = 's3cret')"
    )
    t_env.execute_sql("USE CATALOG c")


def test_overwriting_replaces_the_partitions_that_get_rows(tmp_path: Path) -> None:
    t_env = environment(batch=True)
    declare(t_env, tmp_path, "id BIGINT, name STRING", "PARTITIONED BY (name) WITH")
    t_env.execute_sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'b')").wait()
    t_env.execute_sql("INSERT OVERWRITE t VALUES (4, 'b'), (5, 'c')").wait()
    assert [(row["id"], row["name"]) for row in found(tmp_path)] == [(1, "a"), (4, "b"), (5, "c")]
    t_env.execute_sql("INSERT OVERWRITE t SELECT id + 10, name FROM t WHERE id > 1").wait()
    assert [(row["id"], row["name"]) for row in found(tmp_path)] == [(1, "a"), (14, "b"), (15, "c")]
    assert not list(tmp_path.rglob("_datastream/**/*.avro"))


def test_overwriting_days(tmp_path: Path) -> None:
    t_env = environment(batch=True)
    declare(t_env, tmp_path, "id BIGINT, at TIMESTAMP(6)", "WITH, 'write.partition-by' = 'days(at);bucket(4, id)'")
    rows = "(1, TIMESTAMP '2026-01-01 01:00:00'), (2, TIMESTAMP '2026-01-02 01:00:00')"
    t_env.execute_sql(f"INSERT INTO t VALUES {rows}").wait()
    t_env.execute_sql("INSERT OVERWRITE t VALUES (1, TIMESTAMP '2026-01-01 02:00:00')").wait()
    assert [(row["id"], str(row["at"])) for row in found(tmp_path)] == [
        (1, "2026-01-01 02:00:00"),
        (2, "2026-01-02 01:00:00"),
    ]


def test_overwriting_a_table_without_partitions_replaces_all(tmp_path: Path) -> None:
    add(tmp_path, [1, 2])
    t_env = environment(batch=True)
    declare(t_env, tmp_path)
    t_env.execute_sql("INSERT OVERWRITE t VALUES (4, 'd')").wait()
    assert found(tmp_path) == [{"id": 4, "name": "d"}]
    t_env.execute_sql("INSERT OVERWRITE t SELECT * FROM (VALUES (1, 'a')) AS v (id, name) WHERE id > 1").wait()
    assert found(tmp_path) == []
    t_env.execute_sql("INSERT OVERWRITE t VALUES (5, 'e')").wait()
    assert found(tmp_path) == [{"id": 5, "name": "e"}]


def test_two_overwrites_of_a_statement_set_leave_the_rows_of_both(tmp_path: Path) -> None:
    t_env = environment(batch=True)
    declare(t_env, tmp_path, "id BIGINT, name STRING", "PARTITIONED BY (name) WITH")
    t_env.execute_sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')").wait()
    statements = t_env.create_statement_set()
    statements.add_insert_sql("INSERT OVERWRITE t PARTITION (name = 'b') VALUES (3), (4)")
    statements.add_insert_sql("INSERT OVERWRITE t VALUES (5, 'b')")
    statements.execute().wait()
    assert [(row["id"], row["name"]) for row in found(tmp_path)] == [(1, "a"), (3, "b"), (4, "b"), (5, "b")]


def test_classes_of_java_name_types_of_catalogs() -> None:
    options = {"catalog-impl": "org.apache.iceberg.rest.RESTCatalog", "uri": "http://a"}
    assert catalog_properties("c", options) == {"type": "rest", "uri": "http://a"}
    assert catalog_properties("c", {"catalog-type": "sql"}) == {"type": "sql"}
    assert catalog_properties("c", {"catalog-impl": "my.Catalog"}) == {"py-catalog-impl": "my.Catalog"}
    with pytest.raises(ValidationError, match="catalog c: 'catalog-impl' = 'org.apache.iceberg.jdbc.JdbcCatalog' is a"):
        environment().execute_sql(
            "CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-impl' = 'org.apache.iceberg.jdbc.JdbcCatalog')"
        )
    made = environment()
    made.execute_sql(
        "CREATE TABLE t (a INT) WITH ('connector' = 'iceberg', 'catalog-name' = 'c', 'catalog-impl' = 'org.apache.X')"
    )
    with pytest.raises(ValidationError, match="`t`: .*'org.apache.X' is a class of Java"):
        made.execute_sql("SELECT * FROM t")


def test_tables_of_a_catalog_are_there_by_themselves(tmp_path: Path) -> None:
    add(tmp_path, [1, 2])
    t_env = environment(batch=True)
    use_catalog(t_env, tmp_path)
    assert collected(t_env, "SHOW DATABASES") == ["['db']", "['default']"]
    assert collected(t_env, "SHOW TABLES FROM db") == ["['t']"]
    assert collected(t_env, "SELECT name, COUNT(*) FROM db.t GROUP BY name") == ["['a', 2]"]
    t_env.execute_sql("INSERT INTO db.t VALUES (3, 'b')").wait()
    add(tmp_path, [4])
    assert collected(t_env, "SELECT id FROM db.t WHERE id > 2") == ["[3]", "[4]"]
    with pytest.raises(ValidationError, match="nothing"):
        t_env.execute_sql("SELECT * FROM nothing")
    shown = "\n".join(collected(t_env, "SHOW CREATE TABLE db.t") + collected(t_env, "SHOW CREATE CATALOG c"))
    assert "'catalog-table' = 't'" in shown.replace("\\'", "'") and "s3cret" not in shown


def test_tables_are_made_in_a_catalog_and_dropped(tmp_path: Path) -> None:
    t_env = environment(batch=True)
    use_catalog(t_env, tmp_path)
    columns = (
        "id BIGINT, d DECIMAL(10, 2), at TIMESTAMP(6), z TIMESTAMP_LTZ(6), a ARRAY<INT>, m MAP<STRING, DOUBLE>, "
        "r ROW<x INT, y DATE>, b BYTES, t TIME(0), f FLOAT, ok BOOLEAN, PRIMARY KEY (id) NOT ENFORCED"
    )
    options = "'write.upsert.enabled' = 'true', 'write.partition-by' = 'days(at);bucket(2, id)', 'comment' = 'x'"
    t_env.execute_sql("CREATE DATABASE shop")
    t_env.execute_sql(f"CREATE TABLE shop.t ({columns}) WITH ({options})")
    t_env.execute_sql("CREATE TABLE IF NOT EXISTS shop.t (x INT)")
    with pytest.raises(ValidationError, match="already exists"):
        t_env.execute_sql("CREATE TABLE shop.t (x INT)")
    row = (
        "CAST(1.5 AS DECIMAL(10, 2)), TIMESTAMP '2026-01-01 00:00:00', TO_TIMESTAMP_LTZ(5, 3), ARRAY[1], "
        "MAP['k', CAST(1 AS DOUBLE)], ROW(1, DATE '2026-01-01'), X'00ff', TIME '01:02:03', CAST(0.5 AS FLOAT), TRUE"
    )
    t_env.execute_sql(f"INSERT INTO shop.t SELECT 1, {row}").wait()
    t_env.execute_sql(f"INSERT INTO shop.t SELECT 1, {row}").wait()
    assert len(collected(t_env, "SELECT * FROM shop.t")) == 1
    with catalog(tmp_path) as there:
        table = there.load_table("shop.t")
        assert [str(field.transform) for field in table.spec().fields] == ["day", "bucket[2]"]
        assert table.properties["comment"] == "x" and table.schema().identifier_field_names() == {"id"}
    assert collected(t_env, "DESCRIBE shop.t")[5].startswith("['id', 'BIGINT', False, 'PRI(id)'")
    t_env.execute_sql("USE shop")
    t_env.execute_sql("ALTER TABLE t RENAME TO u")
    t_env.execute_sql("USE `default`")
    with pytest.raises(ValidationError, match="is not empty"):
        t_env.execute_sql("DROP DATABASE shop RESTRICT")
    t_env.execute_sql("DROP TABLE shop.u")
    t_env.execute_sql("DROP DATABASE shop")
    assert collected(t_env, "SHOW DATABASES") == ["['default']"]


def test_tables_of_a_catalog_are_made_of_queries_and_of_others(tmp_path: Path) -> None:
    add(tmp_path, [1, 2])
    t_env = environment(batch=True)
    use_catalog(t_env, tmp_path)
    t_env.execute_sql("CREATE TABLE made AS SELECT id + 10 AS id FROM db.t").wait()
    assert collected(t_env, "SELECT id FROM made") == ["[11]", "[12]"]
    t_env.execute_sql("CREATE TABLE alike LIKE made")
    t_env.execute_sql("INSERT INTO alike VALUES (7)").wait()
    assert collected(t_env, "SELECT id FROM alike") == ["[7]"]
    assert collected(t_env, "SELECT id FROM made") == ["[11]", "[12]"]
    with catalog(tmp_path) as there:
        assert not any("catalog" in name for name in there.load_table("default.alike").properties)


def test_what_a_catalog_does_not_keep_is_refused(tmp_path: Path) -> None:
    t_env = environment()
    use_catalog(t_env, tmp_path)
    refused = {
        "CREATE TABLE t (id INT, twice AS id * 2)": "columns that are stored alone",
        "CREATE TABLE t (at TIMESTAMP(3), WATERMARK FOR at AS at)": "keeps no WATERMARK",
        "CREATE TABLE t (id INT) WITH ('connector' = 'print')": "are Iceberg's: leave out",
        "CREATE VIEW v AS SELECT 1": "use CREATE TEMPORARY VIEW",
        "CREATE CATALOG e WITH ('type' = 'iceberg', 'catalog-type' = 'sql')": "cannot be opened",
        "CREATE CATALOG e WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop')": "cannot be opened",
    }
    for statement, words in refused.items():
        with pytest.raises(DataStreamError, match=words):
            t_env.execute_sql(statement)
