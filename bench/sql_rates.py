"""Rows/s of SQL on Spark over rows that lie ready: `python -m bench.sql_rates [CASE ...]`; checkpoints are on disk."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.engine import EPOCH_RECORDS, environment, job_rate
from bench.ready_rows import DECLARED, register
from datastream.table import DataTypes, Schema, StreamTableEnvironment, TableDescriptor
from datastream.table.udf import udf

_CALC = """SELECT id, UPPER(item) AS item, price * qty AS total,
    CASE WHEN price > 50 THEN 'high' ELSE 'low' END AS band, SUBSTRING(item, 1, 3) AS code{}
    FROM {} WHERE price > 20 AND item LIKE 'a%'"""
_GROUP = "SELECT id, COUNT(*) AS n, SUM(price) AS total FROM {} GROUP BY id"
_WINDOW = """SELECT id, window_start, COUNT(*) AS n, SUM(price) AS total FROM TABLE(
    TUMBLE(TABLE {}, DESCRIPTOR(at), INTERVAL '{}' SECOND)) GROUP BY id, window_start, window_end"""

#: Case -> query, settings.
CASES: dict[str, tuple[str, dict[str, str]]] = {
    "rows": ("SELECT id, item, price, qty, ts FROM t", {}),
    "calc": (_CALC.format("", "t"), {}),
    "calc of JSON": (_CALC.format("", "messages"), {}),
    "Python function": (_CALC.format(", twice(price, qty) AS more", "t"), {}),
    "pandas function": (_CALC.format(", twice_pandas(price, qty) AS more", "t"), {}),
    "group, 1,000 keys": (_GROUP.format("t"), {}),
    "group, 100,000 keys": (_GROUP.format("t100k"), {}),
    "mini-batch, 1,000 keys": (_GROUP.format("t"), {"table.exec.mini-batch.enabled": "true"}),
    "mini-batch, 100,000 keys": (_GROUP.format("t100k"), {"table.exec.mini-batch.enabled": "true"}),
    "tumble, 1,000 keys": (_WINDOW.format("t", 10), {}),
    "tumble, 100,000 keys": (_WINDOW.format("t100k", 1000), {}),
    "join with 100,000 rows": (
        "SELECT t.id, t.price, few.item FROM t100k AS t JOIN few ON t.id = few.id",
        {},
    ),
}
RUNS, WARM_S, SECONDS = 3, 5, 8


def main() -> None:
    """Measure each case some times, each in a process of its own, and print."""
    names = sys.argv[1:] or list(CASES)
    table = Table(title=f"Rows/s; {RUNS} runs", title_justify="left")
    for heading in ("case", "median", "least to most", "records an epoch"):
        table.add_column(heading, justify="left" if heading == "case" else "right")
    for name in names:
        found = [_measured(name) for _ in range(RUNS)]
        rates = sorted(each["value"] for each in found)
        records = statistics.median(each["parts"]["records"] for each in found)
        spread = f"{rates[0]:,.0f} to {rates[-1]:,.0f}"
        table.add_row(name, f"{statistics.median(rates):,.0f}", spread, f"{records:,.0f}")
    Console(width=100).print(table)


def _measured(name: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.sql_rates", "--once", name], capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def once(name: str) -> dict[str, Any]:
    """Run one case in this process."""
    query, options = CASES[name]
    register()
    env = environment(EPOCH_RECORDS)
    tables = StreamTableEnvironment.create(env)
    for key, value in options.items():
        tables.get_config().set(key, value)
    timed = "at AS TO_TIMESTAMP_LTZ(ts, 3), WATERMARK FOR at AS at - INTERVAL '1' SECOND"
    declared = f"{DECLARED}, {timed}" if "DESCRIPTOR" in query else DECLARED
    for table, columns, more in (
        ("t", declared, ""),
        ("t100k", declared, ", 'keys' = '100000'"),
        ("messages", DECLARED, ", 'json' = 'true'"),
        ("few", DECLARED, ", 'keys' = '100000', 'rows' = '102400'"),
    ):
        tables.execute_sql(f"CREATE TEMPORARY TABLE {table} ({columns}) WITH ('connector' = 'ready'{more})")
    double = DataTypes.DOUBLE()
    tables.create_temporary_function("twice", udf(_twice, result_type=double))
    tables.create_temporary_function("twice_pandas", udf(_twice_pandas, result_type=double, func_type="pandas"))
    result = tables.sql_query(query)
    given = result.get_resolved_schema()
    columns = Schema.new_builder().from_fields(given.get_column_names(), given.get_column_data_types()).build()
    tables.create_temporary_table("sink", TableDescriptor.for_connector("blackhole").schema(columns).build())
    statements = tables.create_statement_set()
    statements.add_insert("sink", result)
    statements.attach_as_datastream()
    return job_rate(env, WARM_S, SECONDS)


def _twice(price: float | None, qty: int | None) -> float | None:
    return None if price is None or qty is None else price * qty * 2 + 1


def _twice_pandas(price: Any, qty: Any) -> Any:
    return price * qty * 2 + 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        print(json.dumps(once(sys.argv[2])))
    else:
        main()
