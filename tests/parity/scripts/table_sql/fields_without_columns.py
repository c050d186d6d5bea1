from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql(
    """
    CREATE TEMPORARY VIEW t AS SELECT
        CAST(ROW(1, ROW('x')) AS ROW<k INT, p ROW<q STRING>>) AS r, CAST(ROW(2, 3) AS ROW<l INT, m INT>) AS s, 5 AS m
    """
)


def show(query):
    try:
        env.execute_sql(query).print()
    except Exception:
        print("refused", query)


show("SELECT k, q, l, m FROM t")
show("SELECT t.k + 1 AS z FROM t WHERE l = 2")
show("SELECT k FROM (SELECT r, r AS r2 FROM t) AS u")
show("SELECT nope FROM t")
show("SELECT z FROM (SELECT k AS z FROM t)")
