from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT 1 AS n UNION SELECT 1")
show("SELECT n FROM (VALUES (1), (2), (2)) AS t(n) UNION ALL SELECT n FROM (VALUES (9)) AS u(n) WHERE n > 10")
show("(SELECT 3 AS a) UNION ALL (SELECT 4 WHERE 1 = 2)")
