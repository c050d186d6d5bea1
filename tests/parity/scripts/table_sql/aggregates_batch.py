from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a', 1, CAST(1.5 AS DOUBLE)), ('b', 2, CAST(2 AS DOUBLE)), ('a', 4, CAST(NULL AS DOUBLE)),
    ('a', CAST(NULL AS INT), CAST(-1 AS DOUBLE)), ('c', CAST(NULL AS INT), CAST(NULL AS DOUBLE))) AS v(k, n, d)
""")
show("""
    SELECT k, COUNT(*) AS c, COUNT(n) AS cn, SUM(n) AS s, AVG(n) AS a, MIN(n) AS lo, MAX(n) AS hi, SUM(d) AS sd, AVG(d) AS ad FROM t GROUP BY k ORDER BY k
""")
show("""
    SELECT k, STDDEV_POP(n), STDDEV_SAMP(n), VAR_POP(n), VAR_SAMP(n), STDDEV_POP(d), VARIANCE(d) FROM t GROUP BY k ORDER BY k
""")
show("SELECT COUNT(*), COUNT(n), SUM(n), AVG(n), MIN(k), MAX(k) FROM t WHERE k = 'zzz'")
show("""
    SELECT TYPEOF(SUM(n)), TYPEOF(AVG(n)), TYPEOF(COUNT(*)), TYPEOF(SUM(d)), TYPEOF(STDDEV_POP(n)), TYPEOF(MAX(k)) FROM t
""")
