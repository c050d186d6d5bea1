from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TEMPORARY VIEW a AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v(id, l)")
show("CREATE TEMPORARY VIEW b AS SELECT * FROM (VALUES (2, 'p'), (3, 'r')) AS v(id, r)")
show("SELECT * FROM a JOIN b USING (id)")
show("SELECT * FROM a NATURAL LEFT JOIN b ORDER BY id")
show("SELECT l, r FROM a CROSS JOIN b ORDER BY l, r")
show("SELECT l, r FROM a, b WHERE a.id = b.id")
show("SELECT l, r FROM a LEFT JOIN b ON a.id = b.id AND b.r = 'zzz' ORDER BY l")
show("SELECT a1.l, a2.l FROM a AS a1 JOIN a AS a2 ON a1.id = a2.id ORDER BY a1.l")
show("SELECT id FROM a JOIN b ON a.id = b.id")
