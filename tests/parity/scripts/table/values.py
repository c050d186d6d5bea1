from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

env.execute_sql("SELECT * FROM (VALUES (1, 'a'), (2, 'bc'), (3, CAST(NULL AS STRING))) AS t(n, s)").print()
env.execute_sql("VALUES (1, 2.5), (2, 3.25)").print()
