"""Windows in batch mode over columns that are no time attributes."""

from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.table.window import Tumble

t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
t_env.get_config().set("parallelism.default", "1")
t_env.execute_sql(
    "CREATE TEMPORARY VIEW w AS SELECT a, b, TIMESTAMP '2026-01-01 00:00:00.000' + INTERVAL '1' SECOND * a AS ts FROM (VALUES (5,'x'),(1,'x'),(2,'y'),(3,'x'),(11,'y'),(12,'x')) AS v(a,b)"
)


def show(name, table):
    try:
        with table().execute().collect() as rows:
            print(name, sorted(str(row) for row in rows), flush=True)
    except Exception:
        print(name, "is refused", flush=True)


for q in [
    "SELECT window_start, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '2' SECOND)) GROUP BY window_start, window_end",
    "SELECT b, window_start, SUM(a) FROM TABLE(HOP(TABLE w, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '4' SECOND)) GROUP BY b, window_start, window_end",
    "SELECT b, window_end, SUM(a) FROM TABLE(CUMULATE(TABLE w, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '6' SECOND)) GROUP BY b, window_start, window_end",
    "SELECT a, window_start FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '5' SECOND))",
    "SELECT b, TUMBLE_START(ts, INTERVAL '2' SECOND), COUNT(*) FROM w GROUP BY b, TUMBLE(ts, INTERVAL '2' SECOND)",
    "SELECT * FROM (SELECT a, b, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY a DESC) AS n FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '5' SECOND))) WHERE n = 1",
    "SELECT TUMBLE_ROWTIME(ts, INTERVAL '2' SECOND), COUNT(*) FROM w GROUP BY TUMBLE(ts, INTERVAL '2' SECOND)",
    "SELECT l.a, r.a FROM (SELECT * FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '5' SECOND))) l JOIN (SELECT * FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '5' SECOND))) r ON l.b = r.b AND l.window_start = r.window_start AND l.window_end = r.window_end",
    "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(a), INTERVAL '2' SECOND)) GROUP BY window_start, window_end",
    "SELECT l.a, r.a FROM w l, w r WHERE l.b = r.b AND l.ts BETWEEN r.ts - INTERVAL '2' SECOND AND r.ts",
]:
    show(q, lambda q=q: t_env.sql_query(q))
w = t_env.from_path("w")
show(
    "api tumble",
    lambda: (
        w.window(Tumble.over(lit(2).seconds).on(col("ts")).alias("x"))
        .group_by(col("x"), col("b"))
        .select(col("b"), col("x").start, col("a").sum)
    ),
)
