"""Constants of FLOAT keep their digits where they become other numbers."""

from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
t_env.execute_sql(
    "CREATE TEMPORARY VIEW t AS SELECT CAST(a AS DOUBLE) AS a, CAST(a AS FLOAT) AS f FROM (VALUES (0.1), (0.7)) AS v(a)"
)
for expression in (
    "CAST(CAST(0.1 AS FLOAT) AS DOUBLE)", "CAST(CAST(0.1 AS FLOAT) AS DOUBLE) + a",
    "CAST(CAST(16777217 AS FLOAT) AS BIGINT)", "CAST(CAST(123456789.123 AS FLOAT) AS DOUBLE)",
    "CAST(CAST(0.7 AS FLOAT) AS DECIMAL(20, 12))", "a = CAST(0.7 AS FLOAT)", "f = CAST(0.7 AS FLOAT)", "f = 0.7",
    "CASE WHEN a > 0.5 THEN CAST(0.1 AS FLOAT) ELSE 0.2e0 END", "COALESCE(CAST(NULL AS DOUBLE), CAST(0.1 AS FLOAT))",
    "f + CAST(0.1 AS FLOAT)", "CAST(0.1 AS FLOAT) < 0.1e0", "CAST(f AS DOUBLE)", "0.1e0 + 0.2e0",
):  # fmt: skip
    with t_env.execute_sql(f"SELECT {expression} AS x FROM t").collect() as rows:
        print(expression, [str(row) for row in rows], flush=True)
