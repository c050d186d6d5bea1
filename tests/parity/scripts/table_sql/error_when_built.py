from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("CREATE TABLE orders (id INT, amount DOUBLE) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
print(env.sql_query("SELECT id FROM orders").get_schema().get_field_names())
env.execute_sql("SELECT id, amout FROM orders").print()
