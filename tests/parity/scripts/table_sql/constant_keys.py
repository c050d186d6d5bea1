from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (2, 'c')) AS x (n, s)")


def show(query):
    env.execute_sql(query).print()


show("SELECT n + 1 AS x, COUNT(*) AS c FROM t GROUP BY n + 1")
show("SELECT COUNT(*) FROM t GROUP BY 1")
show("SELECT n, COUNT(*) FROM t GROUP BY n, 1")
show("SELECT n, n, n + 1 FROM t")
show("SELECT COUNT(*) FROM (SELECT n, n FROM t)")
