# parity: any order
from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql(
    """CREATE TEMPORARY VIEW sales AS SELECT * FROM (VALUES ('a', 'x', 1), ('b', 'x', 2), ('a', 'y', 3), ('b', 'x', 4)) AS v (k, s, i)"""
)
env.execute_sql(
    "CREATE TEMPORARY VIEW totals AS SELECT k, MAX(s) AS s, COUNT(*) AS n, SUM(i) AS t FROM sales GROUP BY k"
)
for query in (
    "SELECT 'all', MAX(k), COUNT(*) FROM totals",
    "SELECT COUNT(*) FROM totals",
    "SELECT k FROM totals",
    "SELECT s, COUNT(*) FROM totals GROUP BY s",
    "SELECT n, SUM(t) FROM totals GROUP BY n",
    "SELECT COUNT(*) FROM (SELECT SUM(i), MAX(s) FROM sales)",
    "SELECT 1 FROM (SELECT SUM(i), MAX(s) FROM sales)",
    "SELECT k, s FROM totals WHERE k <> 'b'",
    "SELECT t.k, v.s FROM totals AS t JOIN (SELECT * FROM (VALUES ('a', 'v')) AS v (k, s)) AS v ON t.k = v.k",
):
    try:
        print(query)
        with env.execute_sql(query).collect() as rows:
            for row in rows:
                print(query, row.get_row_kind(), *row)
    except Exception:
        print(query, "fails")
