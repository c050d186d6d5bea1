from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT a.x, b.y FROM (VALUES (1), (2)) AS a(x) JOIN (VALUES (1), (3)) AS b(y) ON a.x + 1 = b.y + 1 ORDER BY a.x
""")
show("""
    SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(id, s) LEFT JOIN (SELECT id, COUNT(*) AS c FROM (VALUES (1), (1)) AS u(id) GROUP BY id) AS u ON t.id = u.id ORDER BY t.id
""")
show("""
    SELECT t.s, u.s FROM (VALUES (1, 'a'), (2, 'b')) AS t(id, s) JOIN (VALUES (1, 'c'), (2, 'd')) AS u(id, s) ON t.id = u.id AND t.s < u.s ORDER BY t.s
""")
show("SELECT COUNT(*) AS c FROM (VALUES (1), (2)) AS a(x) CROSS JOIN (VALUES (1), (2), (3)) AS b(y) WHERE x <> y")
show("SELECT x FROM (VALUES (1), (2), (3)) AS a(x) WHERE x IN (2, 3) AND x NOT IN (3) ORDER BY x")
show("SELECT /*+ BROADCAST(b) */ a.x FROM (VALUES (1)) AS a(x) JOIN (VALUES (1)) AS b(x) ON a.x = b.x")
