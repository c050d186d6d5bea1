from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT a.id, l, r FROM (VALUES (1, 'x'), (2, 'y')) AS a(id, l) JOIN (SELECT * FROM (VALUES (2, 'p')) AS v(id, r)) AS b ON a.id = b.id
""")
show("SELECT l, s FROM (VALUES (1, 'x')) AS a(id, l) CROSS JOIN (VALUES ('s')) AS b(s)")
show("SELECT COUNT(*) FROM (VALUES (1), (2)) AS a(x) JOIN (VALUES (1), (2)) AS b(y) ON x = y WHERE x > 100")
