"""Catalogs whose declarations outlive their environment."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from datastream.config import Configuration
from datastream.errors import ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.catalogs.errors import CatalogException
from datastream.table.catalogs.store import FileCatalogStore


def environment(folder, **options) -> TableEnvironment:
    config = Configuration()
    config.set_string("table.catalog-store.kind", "file")
    config.set_string("table.catalog-store.file.path", str(folder))
    for name, value in options.items():
        config.set_string(name, value)
    return TableEnvironment.create(EnvironmentSettings.new_instance().with_configuration(config).build())


def test_catalogs_outlive_the_environment_in_files_of_flinks_form(tmp_path):
    first = environment(tmp_path / "store")
    first.execute_sql("CREATE CATALOG a COMMENT 'c' WITH ('type' = 'generic_in_memory', 'default-database' = 'd''b')")
    first.execute_sql("CREATE CATALOG `b c` WITH ('type' = 'generic_in_memory')")
    file = tmp_path / "store" / "a.yaml"
    assert file.read_text() == 'default-database: "d\'b"\ntype: "generic_in_memory"\n'
    assert sorted(os.listdir(tmp_path / "store")) == ["a.yaml", "b c.yaml"]
    second = environment(tmp_path / "store")
    assert second.list_catalogs() == ["a", "b c", "default_catalog"]
    second.use_catalog("a")
    assert second.get_current_database() == "d'b"
    second.execute_sql("CREATE TABLE t (n INT) WITH ('connector' = 'datagen')")
    assert second.list_tables() == ["t"]


def test_what_one_session_drops_is_gone_for_others_that_have_not_used_it(tmp_path):
    first, second = environment(tmp_path), environment(tmp_path)
    first.execute_sql("CREATE CATALOG a WITH ('type' = 'generic_in_memory')")
    with pytest.raises(CatalogException, match="Catalog a already exists"):
        second.execute_sql("CREATE CATALOG a WITH ('type' = 'generic_in_memory')")
    second.execute_sql("CREATE CATALOG IF NOT EXISTS a WITH ('type' = 'generic_in_memory')")
    second.execute_sql("DROP CATALOG a")
    assert (first.list_catalogs(), second.list_catalogs()) == (["a", "default_catalog"], ["default_catalog"])
    with pytest.raises(ValidationError, match=r"catalog with name \[a\] does not exist"):
        second.use_catalog("a")
    assert environment(tmp_path).list_catalogs() == ["default_catalog"]


def test_of_sessions_that_declare_one_name_at_once_one_succeeds(tmp_path):
    stores = [FileCatalogStore(str(tmp_path)) for _ in range(8)]

    def declare(n: int) -> bool:
        try:
            stores[n].add("a", {"type": "generic_in_memory", "n": str(n)})
        except CatalogException:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(declare, range(8)))
    assert done.count(True) == 1
    assert stores[0].options("a") == {"type": "generic_in_memory", "n": str(done.index(True))}
    assert os.listdir(tmp_path) == ["a.yaml"]


def test_altered_options_are_kept(tmp_path):
    first = environment(tmp_path)
    first.execute_sql("CREATE CATALOG a WITH ('type' = 'generic_in_memory')")
    first.execute_sql("ALTER CATALOG a SET ('default-database' = 'z')")
    second = environment(tmp_path)
    second.use_catalog("a")
    assert second.get_current_database() == "z"


def test_only_the_owner_reads_what_may_hold_passwords(tmp_path):
    store = FileCatalogStore(str(tmp_path / "store"))
    options = {"type": "jdbc", "password": 'se"cret\n: #', "key with: colon": "", "no": "é"}
    store.add("a", options)
    store.replace("a", options)
    store.replace("other", options)
    assert stat.S_IMODE(os.stat(tmp_path / "store" / "a.yaml").st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "store").st_mode) == 0o700
    assert (store.options("a"), store.options("other")) == (options, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("type: x\n  : :\n x", "a: .*a.yaml is damaged: .*line 2"),
        ("", "is damaged: expected lines such as"),
        ("- type", "is damaged: expected lines such as"),
        ("type: [a]", "is damaged: expected lines such as"),
        ('type: "nope"\n', "there is no type 'nope'"),
    ],
)
def test_a_damaged_file_is_an_error_of_its_catalog_alone(tmp_path, text, message):
    (tmp_path / "a.yaml").write_text(text)
    (tmp_path / "other.txt").write_text("x")
    tables = environment(tmp_path)
    assert tables.list_catalogs() == ["a", "default_catalog"]
    with pytest.raises(ValidationError, match=message):
        tables.use_catalog("a")
    tables.execute_sql("DROP CATALOG a")
    assert tables.list_catalogs() == ["default_catalog"]


def test_files_of_flink_are_read(tmp_path):
    (tmp_path / "a.yaml").write_text("---\ntype: generic_in_memory\nproperty-version: 1\n")
    assert environment(tmp_path).get_catalog("a").get_default_database() == "default"


def test_what_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for options, message in (
        ({"table.catalog-store.kind": "nope"}, "expected generic_in_memory or file, got 'nope'"),
        ({"table.catalog-store.file.path": ""}, "needs the option 'table.catalog-store.file.path'"),
        ({"table.catalog-store.file.path": "s3://b/x"}, "expected a folder of this machine"),
        ({"table.catalog-store.file.path": str(tmp_path / "file")}, "cannot be a folder"),
    ):
        with pytest.raises(ValidationError, match=message):
            environment(tmp_path, **options)
    with pytest.raises(CatalogException, match="must not begin with a dot or hold a slash"):
        environment(tmp_path).execute_sql("CREATE CATALOG `a/b` WITH ('type' = 'generic_in_memory')")
    with pytest.raises(ValidationError, match="there is no type 'nope'"):
        environment(tmp_path).execute_sql("CREATE CATALOG a WITH ('type' = 'nope')")
    assert os.listdir(tmp_path) == ["file"]
