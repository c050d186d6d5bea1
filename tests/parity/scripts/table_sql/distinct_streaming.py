from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT DISTINCT NULLIF(n, 0) AS n FROM (VALUES (1), (2), (1), (0), (0)) AS t(n)")
show("SELECT DISTINCT k, n FROM (VALUES ('a', 1), ('a', 1), ('a', 2)) AS t(k, n)")
show("SELECT n FROM (VALUES (1), (2), (1)) AS t(n) GROUP BY n")
show("SELECT COUNT(*) FROM (SELECT DISTINCT n FROM (VALUES (1), (2), (1)) AS t(n))")
