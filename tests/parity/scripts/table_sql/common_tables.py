from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT * FROM a, b")
show("WITH a (p, q) AS (VALUES (1, 'x'), (2, 'y')) SELECT q, p FROM a ORDER BY p DESC")
show("WITH a AS (SELECT 1 AS x) SELECT * FROM a UNION ALL SELECT x + 1 FROM a")
show("VALUES (1, 'a'), (2, 'b')")
show("VALUES 1, 2")
show("SELECT * FROM (VALUES (1, CAST(NULL AS STRING)), (2, 'b')) AS t")
show("SELECT t.*, t.a + 1 AS b FROM (SELECT 1 AS a) AS t")
show("SELECT 1 AS a, 1 AS a")
show("SELECT 'q' AS `select`, 2 AS `with space`")
