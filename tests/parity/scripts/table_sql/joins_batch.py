from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TEMPORARY VIEW a AS SELECT * FROM (VALUES (1, 'x'), (2, 'y'), (CAST(NULL AS INT), 'z')) AS v(id, l)")
show("""
    CREATE TEMPORARY VIEW b AS SELECT * FROM (VALUES (2, 'p'), (2, 'q'), (3, 'r'), (CAST(NULL AS INT), 's')) AS v(id, r)
""")
show("SELECT a.id, l, r FROM a JOIN b ON a.id = b.id ORDER BY r")
show("SELECT a.id, l, b.id, r FROM a LEFT JOIN b ON a.id = b.id ORDER BY l, r")
show("SELECT a.id, l, b.id AS bid, r FROM a RIGHT JOIN b ON a.id = b.id ORDER BY l, r")
show("SELECT * FROM a FULL OUTER JOIN b ON a.id = b.id ORDER BY l, r")
