"""What jobs keep, as tables: the catalog and the connector ``state``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from datastream import Types
from datastream.config.settings import settings
from datastream.errors import CheckpointError, DataStreamError, UnsupportedOperation, ValidationError
from datastream.spark.state_view import open_reader
from datastream.state import ListStateDescriptor, MapStateDescriptor, StateTtlConfig, ValueStateDescriptor
from datastream.state_processor import KeyedStateBootstrapFunction, OperatorTransformation, SavepointWriter
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.time import Time
from tests.support.savepoints import Part


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


class Customer(KeyedStateBootstrapFunction):
    """The total, the latest items and the prices of a customer."""

    def open(self, runtime_context: Any) -> None:
        self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))
        self.items = runtime_context.get_list_state(ListStateDescriptor("items", Types.STRING()))
        prices = MapStateDescriptor("prices", Types.STRING(), Types.LONG())
        prices.enable_time_to_live(StateTtlConfig.new_builder(Time.days(30)).build())
        self.prices = runtime_context.get_map_state(prices)

    def process_element(self, value: Any, ctx: Any) -> None:
        self.total.update((self.total.value() or 0) + value[2])
        self.items.add(value[1])
        self.prices.put(value[1], value[2])


ORDERS = [("ann", "tea", 3), ("bob", "cup", 5), ("ann", "pot", 4)]


def savepoint(folder: Path, orders: list[Any] = ORDERS, uid: str = "customers") -> Path:
    made = OperatorTransformation.bootstrap_with(orders).key_by(lambda order: order[0]).transform(Customer())
    SavepointWriter.new_savepoint(8).with_operator(uid, made).write(folder)
    return folder


def environment(folder: Path, more: str = "", batch: bool = True) -> TableEnvironment:
    modes = EnvironmentSettings
    t_env = TableEnvironment.create(modes.in_batch_mode() if batch else modes.in_streaming_mode())
    t_env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'state', 'path' = '{folder}'{more})")
    t_env.use_catalog("c")
    return t_env


def rows(t_env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    with t_env.execute_sql(query).collect() as found:
        return sorted((tuple(row) for row in found), key=repr)


@pytest.mark.parametrize("batch", [True, False])
def test_rows_of_an_operator(batch: bool, tmp_path: Path) -> None:
    t_env = environment(savepoint(tmp_path / "s"), batch=batch)
    query = "SELECT key, state, form, `value`, entries FROM customers"
    assert rows(t_env, query) == [
        ("ann", "items", "list", '["tea", "pot"]', 2),
        ("ann", "prices", "map", '{"tea": 3, "pot": 4}', 2),
        ("ann", "total", "value", "7", None),
        ("bob", "items", "list", '["cup"]', 1),
        ("bob", "prices", "map", '{"cup": 5}', 1),
        ("bob", "total", "value", "5", None),
    ]


def test_values_are_queried_as_json_and_numbers(tmp_path: Path) -> None:
    t_env = environment(savepoint(tmp_path / "s"))
    total = "SELECT SUM(CAST(`value` AS BIGINT)) FROM customers WHERE state = 'total'"
    assert rows(t_env, total) == [(12,)]
    tea = "SELECT JSON_VALUE(`value`, '$.tea' RETURNING INT) FROM customers WHERE state = 'prices' AND key = 'ann'"
    assert rows(t_env, tea) == [(3,)]
    assert rows(t_env, "SELECT COUNT(*) FROM customers WHERE state LIKE 'i%' OR state IS NULL") == [(2,)]
    assert rows(t_env, "SELECT key FROM customers WHERE state = 'none'") == []
    assert len(rows(t_env, "SELECT key FROM customers LIMIT 4")) == 4


def test_key_groups_and_times_of_a_time_to_live(tmp_path: Path) -> None:
    before = time.time()
    t_env = environment(savepoint(tmp_path / "s"))
    after = time.time()
    found = rows(t_env, "SELECT state, key_group, touched FROM customers WHERE key = 'ann'")
    assert len({group for _, group, _ in found}) == 1 and 0 <= found[0][1] < 8
    times = {state: touched for state, _, touched in found}
    assert times["total"] is None
    assert before - 1 <= times["prices"].to_epoch_milli() / 1000 <= after + 1


def test_keys_that_are_no_texts_are_json(tmp_path: Path) -> None:
    t_env = environment(savepoint(tmp_path / "s", [(1, "a", 1), ((2, "b"), "c", 2)]))
    assert rows(t_env, "SELECT key, `value` FROM customers WHERE state = 'total' AND key <> '1'") == [('[2, "b"]', "2")]


def test_databases_are_the_checkpoints_and_savepoints_of_a_folder(tmp_path: Path) -> None:
    savepoint(tmp_path / "shop")
    (tmp_path / "other").mkdir()
    (tmp_path / "file").write_text("")
    t_env = environment(tmp_path)
    assert t_env.list_databases() == ["default", "shop"]
    assert t_env.list_tables() == []
    savepoint(tmp_path / "later", uid="others")
    assert t_env.list_databases() == ["default", "later", "shop"]
    assert rows(t_env, "SELECT COUNT(*) FROM later.others") == rows(t_env, "SELECT COUNT(*) FROM shop.customers")
    t_env.use_database("shop")
    assert t_env.list_tables() == ["customers"]
    with pytest.raises(DataStreamError, match="nothing"):
        rows(t_env, "SELECT * FROM nothing")


def test_the_default_database_is_the_folder_itself(tmp_path: Path) -> None:
    t_env = environment(savepoint(tmp_path / "s"), ", 'default-database' = 'shop'")
    assert t_env.list_databases() == ["shop"]
    assert t_env.list_tables() == ["customers"]


def test_a_table_that_is_declared(tmp_path: Path) -> None:
    savepoint(tmp_path / "s")
    t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    with_clause = f"('connector' = 'state', 'state.path' = '{tmp_path / 's'}', 'operator.uid' = '%s')"
    t_env.execute_sql(f"CREATE TABLE t (key STRING, `value` STRING) WITH {with_clause % 'customers'}")
    assert len(rows(t_env, "SELECT * FROM t")) == 6
    for columns, wrong in [
        ("k STRING", "state has no column 'k'; it has: key, state, form, value, entries, key_group, touched"),
        ("key BIGINT", "the column 'key' must have the type STRING"),
    ]:
        t_env.execute_sql("DROP TABLE IF EXISTS w")
        t_env.execute_sql(f"CREATE TABLE w ({columns}) WITH {with_clause % 'customers'}")
        with pytest.raises(ValidationError, match=wrong):
            rows(t_env, "SELECT * FROM w")
    t_env.execute_sql(f"CREATE TABLE u (key STRING) WITH {with_clause % 'none'}")
    with pytest.raises(ValidationError, match="no operator with state has the uid 'none'; there are: customers"):
        rows(t_env, "SELECT * FROM u")
    with pytest.raises(ValidationError, match="can only be used as a source"):
        t_env.execute_sql("INSERT INTO t VALUES ('a', 'b')").wait()


def test_too_many_rows_are_an_error(tmp_path: Path) -> None:
    t_env = environment(savepoint(tmp_path / "s"), ", 'max-rows' = '3'")
    with pytest.raises(ValidationError, match="there are more than 3 rows: ask for one state or for some keys"):
        rows(t_env, "SELECT * FROM customers")
    assert len(rows(t_env, "SELECT * FROM customers WHERE key = 'bob'")) == 3


def test_a_catalog_of_state_cannot_be_changed(tmp_path: Path) -> None:
    t_env = environment(savepoint(tmp_path / "s"))
    for statement in ("CREATE DATABASE d", "DROP TABLE customers", "ALTER TABLE customers RENAME TO x"):
        with pytest.raises(UnsupportedOperation, match="nothing can be created, changed or dropped in it"):
            t_env.execute_sql(statement)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "the option 'path' is missing: a checkpoint directory, a savepoint, or a folder with some"),
        (", 'path' = '/none'", "expected a folder of this machine or a mount, got '/none'"),
        (", 'path' = 's3://b/x'", "expected a folder of this machine or a mount, got 's3://b/x'"),
        (", 'pth' = '/x'", "there is no option 'pth', did you mean 'path'?"),
    ],
)
def test_options_of_the_catalog(options: str, message: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    with pytest.raises(ValidationError, match=message.replace("?", r"\?")):
        t_env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'state'{options})")


def test_a_damaged_savepoint_is_an_error_that_names_it(tmp_path: Path) -> None:
    t_env = environment(savepoint(tmp_path / "s"))
    table = t_env.sql_query("SELECT * FROM customers")
    file = max((each for each in (tmp_path / "s").rglob("*") if each.is_file()), key=lambda each: each.stat().st_size)
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(CheckpointError, match="is damaged"):
        table.execute()


@pytest.mark.long
def test_a_checkpoint_of_spark(tmp_path: Path) -> None:
    def summed(env: Any, numbers: Any) -> Any:
        pairs = numbers.map(lambda n: (n % 3, 1))
        return pairs.key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("sums")

    Part(summed, executor="spark", checkpoint=tmp_path / "checkpoints" / "numbers")
    kept = {row.key: row.value[1] for row in open_reader(tmp_path / "checkpoints" / "numbers").rows("sums")}
    t_env = environment(tmp_path / "checkpoints")
    found = rows(t_env, "SELECT key, JSON_VALUE(`value`, '$[1]' RETURNING INT) FROM numbers.sums")
    assert {int(key): value for key, value in found} == kept
    assert sum(kept.values()) == 2000
