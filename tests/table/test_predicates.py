"""Conditions of queries by which sources leave rows out: of partitions, row groups of Parquet, files of Delta Lake."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from datastream.config.settings import settings
from datastream.connectors.row_groups import may_hold
from datastream.errors import DataStreamError
from datastream.io import Predicate
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.plan.expressions import Call, Field, Literal
from datastream.table.rules.predicates import predicates_of
from datastream.table.types.data_types import DataTypes


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_batch_mode())


def rows(env: TableEnvironment, query: str) -> list[tuple[object, ...]]:
    with env.execute_sql(query).collect() as results:
        return sorted(tuple(row) for row in results)


def declare(env: TableEnvironment, path: Path, form: str, partitions: str = "PARTITIONED BY (p, day)") -> None:
    env.execute_sql(
        f"CREATE TABLE t (a INT, p INT, day DATE) {partitions} WITH "
        f"('connector' = 'filesystem', 'path' = '{path}', 'format' = '{form}')"
    )


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_files_of_other_partitions_are_not_opened(tmp_path: Path, form: str) -> None:
    env = environment()
    declare(env, tmp_path / "t", form)
    env.execute_sql(
        "INSERT INTO t VALUES (1, 1, DATE '2026-01-01'), (2, 2, DATE '2026-01-02'), (3, 2, DATE '2026-01-03'), "
        "(4, CAST(NULL AS INT), DATE '2026-01-02')"
    ).wait()
    for file in (tmp_path / "t" / "p=1").rglob("part-*"):
        file.write_bytes(b'{"a": not a row')  # whoever opens it fails
    with pytest.raises(DataStreamError):
        rows(env, "SELECT a FROM t")
    assert rows(env, "SELECT a FROM t WHERE p = 2") == [(2,), (3,)]
    assert rows(env, "SELECT a, p FROM t WHERE p > 1 AND a < 3") == [(2, 2)]
    assert rows(env, "SELECT a FROM t WHERE day IN (DATE '2026-01-02', DATE '2026-01-04')") == [(2,), (4,)]
    assert rows(env, "SELECT a FROM t WHERE p IS NULL") == [(4,)]
    assert rows(env, "SELECT COUNT(*) FROM t WHERE day BETWEEN DATE '2026-01-02' AND DATE '2026-01-03'") == [(3,)]
    assert rows(env, "SELECT x.a FROM t AS x JOIN t AS y ON x.a = y.a WHERE x.p = 2 AND y.p = 2") == [(2,), (3,)]


def test_conditions_above_a_union_are_on_the_columns_at_their_places(tmp_path: Path) -> None:
    env = environment()
    for name, columns, partition in (("t", "a INT, b INT", "a"), ("u", "b INT, a INT", "a")):
        env.execute_sql(
            f"CREATE TABLE {name} ({columns}) PARTITIONED BY ({partition}) WITH "
            f"('connector' = 'filesystem', 'path' = '{tmp_path}/{name}', 'format' = 'parquet')"
        )
        env.execute_sql(f"INSERT INTO {name} SELECT * FROM (VALUES (1, 10), (2, 20))").wait()
    both = "(SELECT * FROM t UNION ALL SELECT * FROM u)"
    assert rows(env, f"SELECT * FROM {both} WHERE a = 1") == [(1, 10), (1, 10)]
    assert rows(env, f"SELECT * FROM {both} WHERE b > 10") == [(2, 20), (2, 20)]


def broken_after_first_group(path: Path, table: pa.Table) -> None:
    """A file of Parquet whose first row group alone can be read."""
    pq.write_table(table, path, row_group_size=10, compression="none", use_dictionary=False, write_page_checksum=True)
    second = pq.ParquetFile(path).metadata.row_group(1).column(0)
    data = bytearray(path.read_bytes())
    at = second.data_page_offset
    data[at : at + second.total_compressed_size] = bytes(second.total_compressed_size)
    path.write_bytes(data)


def test_row_groups_without_such_rows_are_not_read(tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": pa.array(range(20), pa.int32()),
            "p": pa.array([None] * 10 + [5] * 10, pa.int32()),
            "day": [dt.date(2026, 1, 1 + i) for i in range(20)],
        }
    )
    (tmp_path / "t").mkdir()
    broken_after_first_group(tmp_path / "t" / "a.parquet", table)
    env = environment()
    declare(env, tmp_path / "t", "parquet", "")
    assert "filter=[<(a, 3)]" in env.sql_query("SELECT a FROM t WHERE a < 3").explain()
    for condition in (
        "a < 3",
        "day <= DATE '2026-01-03'",
        "a IN (0, 1, 2)",
        "p IS NULL AND a < 3",
        "a <> 15 AND 3 > a",
    ):
        assert rows(env, f"SELECT a FROM t WHERE {condition}") == [(0,), (1,), (2,)], condition
    with pytest.raises(DataStreamError, match=r"a\.parquet"):
        rows(env, "SELECT a FROM t WHERE a > 3")


def test_files_of_other_partitions_of_a_delta_table_are_not_opened(tmp_path: Path) -> None:
    for p in (1, 2):
        table = pa.table({"a": pa.array([p, p + 10], pa.int32()), "p": pa.array([p, p], pa.int32())})
        write_deltalake(tmp_path / "t", table, partition_by=["p"], mode="append")
    shutil.rmtree(tmp_path / "t" / "p=1")
    env = environment()
    env.execute_sql(f"CREATE TABLE t (a INT, p INT) WITH ('connector' = 'delta', 'path' = '{tmp_path}/t')")
    assert rows(env, "SELECT a FROM t WHERE p >= 2 AND a < 10") == [(2,)]
    with pytest.raises(DataStreamError, match="is gone"):
        rows(env, "SELECT a FROM t WHERE a >= 2")


def test_row_groups_of_delta_files_are_left_out(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"a": pa.array(range(20), pa.int32())}))
    (file,) = (tmp_path / "t").glob("*.parquet")
    broken_after_first_group(file, pa.table({"a": pa.array(range(20), pa.int32())}))
    env = environment()
    env.execute_sql(f"CREATE TABLE t (a INT) WITH ('connector' = 'delta', 'path' = '{tmp_path}/t')")
    assert rows(env, "SELECT a FROM t WHERE a < 3") == [(0,), (1,), (2,)]
    with pytest.raises(DataStreamError):
        rows(env, "SELECT a FROM t WHERE a > 3")


def test_a_compiled_plan_keeps_what_was_given_to_the_source(tmp_path: Path) -> None:
    env = environment()
    declare(env, tmp_path / "t", "csv")
    env.execute_sql("CREATE TABLE out (a INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = "
                    f"'{tmp_path}/out')")  # fmt: skip
    env.execute_sql("INSERT INTO t VALUES (1, 1, DATE '2026-01-01'), (2, 2, DATE '2026-01-02')").wait()
    streaming = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name in ("t", "out"):
        (statement,) = rows(env, f"SHOW CREATE TABLE {name}")[0]
        streaming.execute_sql(str(statement))
    plan = streaming.compile_plan_sql("INSERT INTO `out` SELECT a FROM t WHERE day > DATE '2026-01-01'")
    assert '"operator": ">"' in plan.as_json_string()
    for file in (tmp_path / "t" / "p=1").rglob("part-*"):
        file.write_bytes(b"not a row")
    streaming.load_plan(_reference(plan.as_json_string())).execute().wait()
    assert rows(env, "SELECT a FROM `out`") == [(2,)]


@pytest.mark.parametrize("batch", [True, False])
def test_a_limit_ends_reading(tmp_path: Path, batch: bool) -> None:
    """Behind its first rows the file is damaged: whoever reads on fails."""
    good = "".join(f"{i},0,2026-01-01\n" for i in range(30_000))
    (tmp_path / "t.csv").write_text(good + "no number,0,2026-01-01\n" * 10)
    mode = EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    env = TableEnvironment.create(mode)
    env.get_config().set("parallelism.default", "1")
    declare(env, tmp_path / "t.csv", "csv", "")
    assert "limit=[5]" in env.sql_query("SELECT a + 1 FROM t LIMIT 3 OFFSET 2").explain()
    assert rows(env, "SELECT a + 1 FROM t LIMIT 3 OFFSET 2") == [(3,), (4,), (5,)]
    both = "(SELECT a FROM t LIMIT 3) UNION ALL (SELECT p FROM t LIMIT 2)"
    assert rows(env, both) == [(0,), (0,), (0,), (1,), (2,)]
    assert rows(env, "SELECT a FROM t LIMIT 0") == []
    for query in ("SELECT a FROM t WHERE a >= 0 LIMIT 3", "SELECT a FROM t ORDER BY a LIMIT 3"):
        assert "limit=" not in env.sql_query(query).explain()
        with pytest.raises(DataStreamError, match="no number"):
            rows(env, query)


def test_records_that_are_dropped_do_not_count_in_a_limit(tmp_path: Path) -> None:
    env = environment()
    (tmp_path / "u.json").write_text('{"a": \n{"a": \n{"a": 1}\n{"a": 2}\n{"a": 3}\n')
    env.execute_sql(
        f"CREATE TABLE u (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/u.json', 'format' = 'json', "
        "'json.ignore-parse-errors' = 'true')"
    )
    assert rows(env, "SELECT a FROM u LIMIT 2") == [(1,), (2,)]


def _reference(text: str) -> object:
    from datastream.table import PlanReference

    return PlanReference.from_json_string(text)


def values() -> st.SearchStrategy[object]:
    return st.integers(-5, 5)


@st.composite
def predicates(draw: st.DrawFn) -> Predicate:
    operator = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "IN", "IS NULL", "IS NOT NULL"]))
    count = {"IN": draw(st.integers(1, 3)), "IS NULL": 0, "IS NOT NULL": 0}.get(operator, 1)
    return Predicate("a", operator, tuple(draw(values()) for _ in range(count)))  # type: ignore[arg-type]


@given(predicates(), st.lists(st.one_of(st.none(), st.integers(-6, 6)), min_size=1, max_size=6))
def test_no_row_group_with_a_row_that_passes_is_left_out(predicate: Predicate, found: list[int | None]) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": pa.array(found, pa.int64())}), sink)
    group = pq.ParquetFile(sink.getvalue()).metadata.row_group(0)
    if any(predicate.passes(value) for value in found):
        assert may_hold(group, [predicate])
    elif predicate.operator != "<>" and len(set(found)) == 1:
        assert not may_hold(group, [predicate])


def calls() -> Iterator[tuple[Call, list[str]]]:
    a, number, text = Field(0, "a", type=DataTypes.INT()), Literal(3, type=DataTypes.INT()), DataTypes.STRING()
    yield Call("greaterThan", (a, number)), [">(a, 3)"]
    yield Call("greaterThan", (number, a)), ["<(a, 3)"]
    yield Call("equals", (number, a)), ["=(a, 3)"]
    yield Call("between", (a, number, number)), [">=(a, 3)", "<=(a, 3)"]
    yield Call("in", (a, number, a)), []
    yield Call("equals", (a, Literal(None, type=DataTypes.INT()))), []
    yield Call("equals", (a, Literal("3", type=text))), []
    yield Call("equals", (Field(0, "x", type=DataTypes.DOUBLE()), Literal(3, type=DataTypes.INT()))), []
    yield Call("not", (Field(0, "f", type=DataTypes.BOOLEAN()),)), ["=(f, False)"]
    yield Call("or", (Call("equals", (a, number)), Call("equals", (a, number)))), []


@pytest.mark.parametrize(("condition", "wanted"), list(calls()))
def test_conditions_as_predicates(condition: Call, wanted: list[str]) -> None:
    assert [str(each) for each in predicates_of(condition)] == wanted
