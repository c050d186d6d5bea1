from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT * FROM (SELECT n FROM (VALUES (1), (2), (2)) AS t(n) UNION SELECT n FROM (VALUES (2), (3)) AS u(n)) ORDER BY n
""")
show("""
    SELECT * FROM (SELECT n FROM (VALUES (1), (2), (2)) AS t(n) UNION ALL SELECT n FROM (VALUES (2), (3)) AS u(n)) ORDER BY n
""")
show("""
    SELECT * FROM (SELECT n FROM (VALUES (1), (2), (2)) AS t(n) INTERSECT SELECT n FROM (VALUES (2), (3)) AS u(n)) ORDER BY n
""")
show("""
    SELECT * FROM (SELECT n FROM (VALUES (1), (2), (2)) AS t(n) EXCEPT SELECT n FROM (VALUES (2), (3)) AS u(n)) ORDER BY n
""")
show("SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2.5, 'longer'")
show("SELECT 1 UNION ALL SELECT 'x'")
show("SELECT 1, 2 UNION ALL SELECT 1")
