from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TEMPORARY VIEW t AS SELECT k, NULLIF(n, 0) AS n FROM (VALUES ('a', 1), ('b', 2), ('a', 4), ('a', 0), ('b', 2), ('a', -7)) AS v(k, n)
""")
show("SELECT k, COUNT(*) AS c, SUM(n) AS s FROM t GROUP BY k")
show("SELECT MIN(n), MAX(n), AVG(n) FROM t")
show("SELECT k, FIRST_VALUE(n), LAST_VALUE(n) FROM t GROUP BY k")
show("SELECT k, STDDEV_SAMP(n), VAR_POP(n) FROM t GROUP BY k")
