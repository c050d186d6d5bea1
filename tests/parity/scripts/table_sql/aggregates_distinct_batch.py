from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a', 1), ('b', 2), ('a', 1), ('a', 3), ('b', 2)) AS v(k, n)")
show("SELECT k, COUNT(DISTINCT n) AS c, SUM(DISTINCT n) AS s, AVG(DISTINCT n) AS a FROM t GROUP BY k ORDER BY k")
show("SELECT COUNT(DISTINCT k) AS c, COUNT(DISTINCT n) AS d, COUNT(*) AS e FROM t")
show("SELECT COUNT(DISTINCT k) FILTER (WHERE n > 1) AS c, SUM(n) FILTER (WHERE k = 'zz') AS s FROM t")
show("SELECT DISTINCT k FROM t ORDER BY k DESC")
show("SELECT MAX(k) AS m, MIN(n + 1) AS x, SUM(CASE WHEN n = 1 THEN 1 ELSE 0 END) AS ones FROM t")
show("SELECT k, COUNT(*) AS c FROM t GROUP BY k HAVING COUNT(DISTINCT n) > 1")
