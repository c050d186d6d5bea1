"""The catalog of files: what it keeps outlives its session, for several sessions at once."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from datastream.config import Configuration
from datastream.config.settings import settings
from datastream.errors import DataStreamError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.catalogs.errors import CatalogException
from datastream.table.udf import udf

plus_one = udf(lambda n: n + 1, result_type="BIGINT")


def model(text):
    return text


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(folder: Path, use: bool = True, name: str = "c") -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    t_env.execute_sql(f"CREATE CATALOG {name} WITH ('type' = 'file', 'path' = '{folder}')")
    if use:
        t_env.use_catalog(name)
    return t_env


def rows(t_env: TableEnvironment, query: str) -> list[str]:
    with t_env.execute_sql(query).collect() as found:
        return sorted(str(list(row)) for row in found)


def files(folder: Path) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file())


COLUMNS = (
    "id BIGINT NOT NULL COMMENT 'the key', name VARCHAR(20), at TIMESTAMP(3), big DECIMAL(20, 3), "
    "tags ARRAY<STRING NOT NULL>, place ROW<`a b` INT, c MAP<STRING, DOUBLE>>, "
    "day AS CAST(at AS DATE), `long name` AS UPPER(name) || 'it''s' COMMENT 'computed', "
    "file STRING METADATA FROM 'file.path' VIRTUAL, "
    "WATERMARK FOR at AS at - INTERVAL '5' SECOND, CONSTRAINT k PRIMARY KEY (id) NOT ENFORCED"
)


def test_tables_outlive_their_session(tmp_path: Path) -> None:
    first = environment(tmp_path / "c")
    data = tmp_path / "data"
    first.execute_sql("CREATE DATABASE `d.1` COMMENT 'ours' WITH ('owner' = 'me')")
    first.execute_sql(
        f"CREATE TABLE `d.1`.`ä/t` ({COLUMNS}) COMMENT 'it''s' PARTITIONED BY (name) "
        f"WITH ('connector' = 'filesystem', 'path' = '{data}', 'format' = 'json')"
    )
    shown = rows(first, "SHOW CREATE TABLE `d.1`.`ä/t`")
    second = environment(tmp_path / "c")
    assert rows(second, "SHOW CREATE TABLE `d.1`.`ä/t`") == shown
    assert rows(second, "DESCRIBE `d.1`.`ä/t`") == rows(first, "DESCRIBE `d.1`.`ä/t`")
    assert second.list_databases() == ["d.1", "default"]
    assert "['comment', 'ours']" in rows(second, "DESCRIBE DATABASE EXTENDED `d.1`")
    second.execute_sql(
        "INSERT INTO `d.1`.`ä/t` VALUES (1, 'ann', TIMESTAMP '2024-02-03 04:05:06', 1.5, ARRAY['x'], "
        "ROW(1, MAP['a', 2e0]))"
    ).wait()
    assert rows(first, "SELECT id, name, `day` = DATE '2024-02-03', `long name`, place.`a b` FROM `d.1`.`ä/t`") == [
        """[1, 'ann', True, "ANNit's", 1]"""
    ]
    assert files(tmp_path / "c") == [
        ".lock",
        "d%2E1/%C3%A4%2Ft.table.json",
        "d%2E1/database.json",
        "default/database.json",
    ]


def test_views_functions_and_models(tmp_path: Path) -> None:
    first = environment(tmp_path)
    first.execute_sql("CREATE DATABASE d")
    first.execute_sql("CREATE TABLE t (n BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '2')")
    first.execute_sql("CREATE FUNCTION plus_one AS 'tests.table.test_file_catalog.plus_one' LANGUAGE PYTHON")
    # Names in the query are of the database that is current now, and not of the view's.
    first.execute_sql("CREATE VIEW d.v (m) COMMENT 'c' AS SELECT plus_one(n) - n FROM t")
    first.execute_sql("CREATE VIEW w AS SELECT m FROM d.v")
    first.execute_sql(
        "CREATE MODEL m INPUT (a STRING) OUTPUT (b STRING) COMMENT 'cased' WITH ('provider' = 'python', "
        "'function' = 'tests.table.test_file_catalog.model')"
    )
    second = environment(tmp_path, name="other")
    assert rows(second, "SELECT m FROM d.v") == ["[1]", "[1]"]
    assert rows(second, "SELECT m FROM other.`default`.w") == ["[1]", "[1]"]
    assert rows(second, "SHOW VIEWS FROM d") == ["['v']"]
    assert rows(second, "DESCRIBE MODEL m") == rows(first, "DESCRIBE MODEL m")
    assert rows(second, "SHOW MODELS") == ["['m']"]
    assert second.list_user_defined_functions() == ["plus_one"]
    second.execute_sql("DROP FUNCTION plus_one")
    with pytest.raises(ValidationError, match="PLUS_ONE"):
        rows(first, "SELECT plus_one(n) FROM t")


def test_changes_are_seen_by_others(tmp_path: Path) -> None:
    first, second = environment(tmp_path), environment(tmp_path)
    first.execute_sql("CREATE TABLE t (n INT) WITH ('connector' = 'print')")
    with pytest.raises(ValidationError, match="t already exists in Catalog c"):
        second.execute_sql("CREATE TABLE t (n INT) WITH ('connector' = 'print')")
    second.execute_sql("CREATE TABLE IF NOT EXISTS t (m INT) WITH ('connector' = 'print')")
    second.execute_sql("ALTER TABLE t ADD (m INT)")
    second.execute_sql("ALTER TABLE t SET ('print-identifier' = 'x')")
    assert [row[:4] for row in rows(first, "DESCRIBE t")] == ["['m'", "['n'"]
    assert "print-identifier" in rows(first, "SHOW CREATE TABLE t")[0]
    second.execute_sql("ALTER TABLE t RENAME TO u")
    assert first.list_tables() == ["u"]
    first.execute_sql("CREATE VIEW v AS SELECT 1 AS a")
    second.execute_sql("ALTER VIEW v AS SELECT 2 AS a")
    assert rows(first, "SELECT * FROM v") == ["[2]"]
    second.execute_sql("CREATE DATABASE d")
    first.execute_sql("CREATE TABLE d.t (n INT) WITH ('connector' = 'print')")
    first.execute_sql("ALTER DATABASE d SET ('a' = 'b')")
    assert "['property:a', 'b']" in rows(second, "DESCRIBE DATABASE EXTENDED d")
    with pytest.raises(ValidationError, match="Database d in catalog c is not empty"):
        second.execute_sql("DROP DATABASE d")
    second.execute_sql("DROP DATABASE d CASCADE")
    assert first.list_databases() == ["default"]
    with pytest.raises(ValidationError, match="Database d does not exist"):
        first.execute_sql("CREATE TABLE d.t (n INT) WITH ('connector' = 'print')")
    first.execute_sql("DROP VIEW v")
    first.execute_sql("DROP TABLE u")
    assert files(tmp_path) == [".lock", "default/database.json"]


def test_the_declaration_may_be_kept_too(tmp_path: Path) -> None:
    def kept() -> TableEnvironment:
        config = Configuration()
        config.set_string("table.catalog-store.kind", "file")
        config.set_string("table.catalog-store.file.path", str(tmp_path / "store"))
        return TableEnvironment.create(
            EnvironmentSettings.new_instance().in_batch_mode().with_configuration(config).build()
        )

    first = kept()
    first.execute_sql(f"CREATE CATALOG c WITH ('type' = 'file', 'path' = '{tmp_path / 'c'}', 'default-database' = 'd')")
    first.execute_sql("CREATE VIEW c.d.v AS SELECT 1 AS a")
    second = kept()
    second.use_catalog("c")
    assert second.get_current_database() == "d"
    assert rows(second, "SELECT * FROM v") == ["[1]"]
    assert "'type' = 'file'" in rows(second, "SHOW CREATE CATALOG c")[0]


def test_only_the_owner_reads_what_may_hold_passwords(tmp_path: Path) -> None:
    t_env = environment(tmp_path / "c")
    t_env.execute_sql(
        "CREATE TABLE t (n INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:/x', 'table-name' = 't', "
        "'username' = 'u', 'password' = 's3cret')"
    )
    for path in (tmp_path / "c").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o700
    assert "s3cret" in (tmp_path / "c/default/t.table.json").read_text()
    assert "s3cret" not in rows(t_env, "SHOW CREATE TABLE t")[0]


def test_of_threads_that_create_one_name_one_succeeds(tmp_path: Path) -> None:
    environments = [environment(tmp_path) for _ in range(4)]

    def create(t_env: TableEnvironment) -> bool:
        try:
            t_env.execute_sql("CREATE TABLE t (n INT) WITH ('connector' = 'print')")
        except ValidationError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(create, environments)).count(True) == 1


def test_no_alter_is_lost(tmp_path: Path) -> None:
    environments = [environment(tmp_path) for _ in range(2)]
    environments[0].execute_sql("CREATE TABLE t (n INT) WITH ('connector' = 'print')")

    def alter(number: int) -> None:
        for each in range(20):
            environments[number].execute_sql(f"ALTER TABLE t ADD c{number}_{each} INT")

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(alter, range(2)))
    assert len(rows(environments[0], "DESCRIBE t")) == 41


def test_files_with_other_names_are_no_objects(tmp_path: Path) -> None:
    t_env = environment(tmp_path)
    t_env.execute_sql("CREATE VIEW v AS SELECT 1 AS a")
    for name in ("%ZZ", "a b", "", "%66"):
        (tmp_path / "default" / f"{name}.table.json").write_text("")
    assert t_env.list_views() == ["v"]
    assert rows(t_env, "SHOW TABLES") == ["['v']"]


def test_lists_skip_what_vanishes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = environment(tmp_path), environment(tmp_path)
    for name in ("v", "w"):
        first.execute_sql(f"CREATE VIEW {name} AS SELECT 1 AS a")
    known = first._session.catalogs.catalog("c")
    listed = known.list_tables

    def meanwhile(database: str) -> list[str]:
        found = listed(database)
        second.execute_sql("DROP VIEW IF EXISTS v")
        return found

    monkeypatch.setattr(known, "list_tables", meanwhile)
    assert rows(first, "SHOW VIEWS") == ["['w']"]


_PROCESS = """
import sys
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.errors import TableAlreadyExistException
from datastream.table.catalogs.file_catalog import FileCatalog
from datastream.table.catalogs.names import ObjectPath
from datastream.table.catalogs.schema import Schema

catalog, won = FileCatalog("c", {"path": sys.argv[1]}), 0
for number in range(40):
    table = CatalogBaseTable(Schema(), {"n": str(number), "by": sys.argv[2]})
    path = ObjectPath("default", f"t{number}")
    try:
        catalog.create_table(path, table, False)
        won += 1
    except TableAlreadyExistException:
        assert catalog.get_table(path).options["n"] == str(number)
    catalog.create_table(ObjectPath("default", "shared"), table, True)
    catalog.alter_table(ObjectPath("default", "shared"), table, False)
    assert catalog.get_table(ObjectPath("default", "shared")).options["by"] in "ab"
print(won)
"""


def test_processes_change_it_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _PROCESS, str(tmp_path)]
    started = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in "ab"]
    printed = [each.communicate()[0] for each in started]
    assert [each.returncode for each in started] == [0, 0]
    assert sum(map(int, printed)) == 40
    assert len(files(tmp_path)) == 43  # with the lock, the database and the shared table


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is damaged: Expecting value"),
        ("[]", "is damaged: expected an object of JSON"),
        ("{}", "is damaged: it has no version"),
        ('{"version": 1}', "is damaged: 'schema' is missing"),
        ("\xff", "is damaged"),
        ('{"version": 1, "schema": {"columns": 3, "watermark": null, "primary_key": null}}', "is damaged: .*int"),
        (
            '{"version": 1, "kind": "table", "schema": {"columns": [{"name": "a", "type": "NOPE"}], "watermark": null, '
            '"primary_key": null}, "comment": null, "options": {}, "partition_keys": []}',
            "is damaged: .*NOPE",
        ),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    t_env = environment(tmp_path)
    for name in ("t", "u"):
        t_env.execute_sql(f"CREATE TABLE {name} (n INT) WITH ('connector' = 'print')")
    path = tmp_path / "default" / "t.table.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CatalogException, match=f"table default.t of catalog c: {path} {message}"):
        t_env.execute_sql("DESCRIBE t")
    assert rows(t_env, "DESCRIBE u")
    assert rows(t_env, "SHOW TABLES") == ["['t']", "['u']"]
    assert "['t']" in rows(t_env, "SHOW VIEWS")
    assert t_env.list_tables() == ["t", "u"]
    with pytest.raises(ValidationError, match=f"already exists in Catalog c.*{path} {message}.*DROP TABLE removes"):
        t_env.execute_sql("CREATE TABLE t (n INT) WITH ('connector' = 'print')")
    t_env.execute_sql("DROP TABLE IF EXISTS t")
    assert not path.exists()
    assert t_env.list_tables() == ["u"]


def test_a_file_of_a_later_version_is_not_removed(tmp_path: Path) -> None:
    t_env = environment(tmp_path)
    t_env.execute_sql("CREATE DATABASE d")
    t_env.execute_sql("CREATE TABLE d.t (n INT) WITH ('connector' = 'print')")
    path = tmp_path / "d" / "t.table.json"
    path.write_text('{"version": 2}')
    message = f"table d.t of catalog c: {path} was written by a later version of this program: use it"
    assert rows(t_env, "SHOW TABLES FROM d") == ["['t']"]
    for statement in (
        "DESCRIBE d.t",
        "DROP TABLE d.t",
        "DROP TABLE IF EXISTS d.t",
        "DROP VIEW d.t",
        "ALTER TABLE d.t RENAME TO u",
        "ALTER TABLE d.t SET ('a' = 'b')",
        "CREATE TABLE d.t (n INT) WITH ('connector' = 'print')",
        "DROP DATABASE d CASCADE",
    ):
        with pytest.raises(ValidationError) as error:
            t_env.execute_sql(statement)
        assert str(error.value).endswith(message), statement
    (tmp_path / "d" / "database.json").write_text('{"version": 2}')
    path.unlink()
    with pytest.raises(ValidationError, match="database d of catalog c: .* was written by a later version"):
        t_env.execute_sql("DROP DATABASE d")
    assert files(tmp_path) == [".lock", "d/database.json", "default/database.json"]


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    t_env = environment(tmp_path)
    path = tmp_path / "default" / "database.json"
    path.write_text(json.dumps({"version": 1, "properties": [], "comment": None}))
    with pytest.raises(CatalogException, match=f"database default of catalog c: {path} is damaged: expected options"):
        t_env.execute_sql("DESCRIBE DATABASE `default`")


def test_what_is_refused(tmp_path: Path) -> None:
    t_env = environment(tmp_path / "c")
    (tmp_path / "file").write_text("")
    for options, message in (
        ("", "the option 'path' is missing: a folder"),
        ("'path' = 's3://b/x'", "expected a folder of this machine"),
        (
            f"'path' = '{tmp_path}', 'paht' = 'x'",
            "no option 'paht', did you mean 'path'. The options are: type, path, default",
        ),
        ("'pth' = '/x'", "there is no option 'pth', did you mean 'path'"),
        (f"'path' = '{tmp_path / 'file'}'", "cannot be a folder"),
    ):
        with pytest.raises(ValidationError, match=message):
            t_env.execute_sql(f"CREATE CATALOG x WITH ('type' = 'file'{', ' + options if options else ''})")
    with pytest.raises(ValidationError, match="a view that is made of a Table cannot be kept"):
        t_env.create_view("v", t_env.sql_query("SELECT 1 AS a"))
    with pytest.raises(DataStreamError, match="File name too long"):
        t_env.execute_sql(f"CREATE TABLE {'t' * 300} (n INT) WITH ('connector' = 'print')")
    assert t_env.list_tables() == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    environment(tmp_path / "c")
    for path in (tmp_path / "c" / "default", tmp_path / "c" / ".lock"):
        path.chmod(0o500)
    t_env = environment(tmp_path / "c")
    with pytest.raises(CatalogException, match="Permission denied"):
        t_env.execute_sql("CREATE VIEW v AS SELECT 1 AS a")
    (tmp_path / "c" / "default").chmod(0o700)
