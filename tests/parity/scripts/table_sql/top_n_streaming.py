from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT * FROM (VALUES (3, 'c'), (1, 'a'), (5, 'e'), (2, 'b')) AS v(n, s) ORDER BY n LIMIT 2")
show("""
    SELECT k, SUM(n) AS s FROM (VALUES ('a', 1), ('b', 5), ('a', 7), ('c', 2)) AS t(k, n) GROUP BY k ORDER BY s DESC LIMIT 2
""")
show("SELECT * FROM (VALUES (3), (1), (5)) AS v(n) LIMIT 2")
show("SELECT * FROM (VALUES (3), (1), (5), (4)) AS v(n) ORDER BY n DESC LIMIT 1")
show("SELECT * FROM (VALUES (3), (1)) AS v(n) ORDER BY n")
