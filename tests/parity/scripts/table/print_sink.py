from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

env.execute_sql("CREATE TABLE sink (id BIGINT, data STRING) WITH ('connector' = 'print')")
table = env.from_elements([(1, "Hi"), (2, "Hello")], ["id", "data"])
table.execute_insert("sink").wait()
env.execute_sql("INSERT INTO sink SELECT 5, 'five'").wait()
