from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a', 1), ('b', 2), ('a', 4), ('a', 5), ('b', 2)) AS v(k, n)")
show("SELECT k, COUNT(*) FILTER (WHERE n > 1) AS c, SUM(n) FILTER (WHERE n > 1) AS s FROM t GROUP BY k")
show("SELECT COUNT(DISTINCT n) FILTER (WHERE k = 'b') AS c, MAX(n) FILTER (WHERE n > 100) AS m FROM t")
show("SELECT k FROM t GROUP BY k HAVING SUM(n) > 3")
show("SELECT k, SUM(n) AS s FROM t GROUP BY k HAVING COUNT(*) < 3")
