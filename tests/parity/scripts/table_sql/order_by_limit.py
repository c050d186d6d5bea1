from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (3, 'c'), (1, 'a'), (CAST(NULL AS INT), 'n'), (2, 'b')) AS v(n, s)
""")
show("SELECT * FROM t ORDER BY n")
show("SELECT * FROM t ORDER BY n DESC")
show("SELECT * FROM t ORDER BY n NULLS LAST LIMIT 2")
show("SELECT * FROM t ORDER BY n DESC NULLS FIRST OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY")
show("SELECT s FROM t ORDER BY n * -1")
show("SELECT s, n AS m FROM t ORDER BY m, s")
show("SELECT * FROM t ORDER BY n LIMIT 0")
show("SELECT * FROM t ORDER BY 2 DESC")
