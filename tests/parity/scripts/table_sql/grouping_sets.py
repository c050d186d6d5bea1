from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a', 'x', 1), ('b', 'x', 2), ('a', 'y', 4), (CAST(NULL AS STRING), 'y', 8)) AS v(k, l, n)
""")
show("SELECT k, l, SUM(n) AS s FROM t GROUP BY GROUPING SETS ((k, l), (k), ()) ORDER BY k, l, s")
show("SELECT k, l, SUM(n) AS s, COUNT(*) AS c FROM t GROUP BY ROLLUP (k, l) ORDER BY k, l, s")
show("SELECT k, l, SUM(n) AS s FROM t GROUP BY CUBE (k, l) ORDER BY k, l, s")
