from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a', 1), ('b', 2), ('a', 4)) AS v(k, n)")
show("SELECT UPPER(k) AS u, SUM(n) AS s FROM t GROUP BY UPPER(k) ORDER BY u")
show("SELECT n > 1 AS big, COUNT(*) AS c FROM t GROUP BY n > 1 ORDER BY big")
show("SELECT SUM(n) * 2 + COUNT(*) AS x FROM t GROUP BY k ORDER BY x")
show("SELECT k, SUM(n) AS s FROM t GROUP BY k ORDER BY SUM(n) DESC")
show("SELECT k AS q, SUM(n) FROM t GROUP BY k ORDER BY 2")
show("SELECT COUNT(*) FROM t GROUP BY ()")
show("SELECT k, n, SUM(n) FROM t GROUP BY k")
show("SELECT k FROM t WHERE SUM(n) > 1")
