"""One case of `bench.sql`, by PyFlink's names: prints the seconds that its job took, after a small one to warm up."""

import sys
import time

from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf

case, rows = sys.argv[1], int(sys.argv[2])
env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
config = env.get_config()
config.set("parallelism.default", "2")
if case == "group_mini_batch":
    config.set("table.exec.mini-batch.enabled", "true")
    config.set("table.exec.mini-batch.allow-latency", "2 s")
    config.set("table.exec.mini-batch.size", "50000")
plus = udf(lambda n: n + 1, result_type=DataTypes.BIGINT())
env.create_temporary_function("plus_one", plus)
QUERIES = {
    "calc": "SELECT n + 1, UPPER(s), n * 2, CHAR_LENGTH(s), k FROM source WHERE k > 100",
    "udf": "SELECT plus_one(n), s, n, k, k FROM source",
    "group": "SELECT COUNT(*), MAX(s), SUM(n), k, k FROM source GROUP BY k",
    "group_mini_batch": "SELECT COUNT(*), MAX(s), SUM(n), k, k FROM source GROUP BY k",
    "tumble": "SELECT COUNT(*), MAX(s), SUM(n), k, k FROM TABLE(TUMBLE(TABLE source, DESCRIPTOR(ts), "
    "INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end",
}


def run(name: str, count: int) -> float:
    env.execute_sql(f"""
        CREATE TEMPORARY TABLE source (
            n BIGINT, k BIGINT, s AS CAST(k AS STRING), ts AS TO_TIMESTAMP_LTZ(n, 3), WATERMARK FOR ts AS ts
        ) WITH (
            'connector' = 'datagen', 'number-of-rows' = '{count}', 'rows-per-second' = '100000000',
            'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '{count}',
            'fields.k.min' = '0', 'fields.k.max' = '999')
    """)
    began = time.monotonic()
    env.execute_sql(f"INSERT INTO sink {QUERIES[name]}").wait()
    took = time.monotonic() - began
    env.execute_sql("DROP TEMPORARY TABLE source")
    return took


env.execute_sql(
    "CREATE TEMPORARY TABLE sink (a BIGINT, b STRING, c BIGINT, d BIGINT, e BIGINT) WITH ('connector' = 'blackhole')"
)
run(case, 20_000)
print("seconds", run(case, rows))
