from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a', 1), ('b', 2), ('a', 4), ('c', 5), ('b', 3)) AS v(k, n)")
show("SELECT s, COUNT(*) AS c FROM (SELECT k, SUM(n) AS s FROM t GROUP BY k) GROUP BY s")
show("SELECT MAX(s) AS m, SUM(s) AS total FROM (SELECT k, SUM(n) AS s FROM t GROUP BY k)")
show("SELECT COUNT(DISTINCT c) FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k)")
