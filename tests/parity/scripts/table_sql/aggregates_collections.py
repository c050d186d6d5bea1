from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TEMPORARY VIEW t AS SELECT k, NULLIF(n, 0) AS n FROM (VALUES ('a', 1), ('b', 2), ('a', 1), ('a', 0), ('b', 3)) AS v(k, n)
""")
show("SELECT k, COLLECT(n) FROM t GROUP BY k")
show("SELECT k, ARRAY_AGG(n) FROM t GROUP BY k")
show("SELECT k, LISTAGG(CAST(n AS STRING)), LISTAGG(CAST(n AS STRING), '-') FROM t GROUP BY k")
show("SELECT COUNT(DISTINCT k), SUM(DISTINCT n), LISTAGG(DISTINCT k) FROM t")
