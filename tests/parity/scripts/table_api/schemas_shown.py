from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql(
    "CREATE TABLE t (id INT NOT NULL COMMENT 'key', name STRING, ts TIMESTAMP(3), up AS UPPER(name), p AS PROCTIME(), "
    "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED) "
    "WITH ('connector' = 'datagen')"
)
table = env.from_path("t")
table.print_schema()
print(table.get_schema())
print(table.get_resolved_schema())
print(table.get_resolved_schema().get_primary_key().get_columns())
result = env.execute_sql("DESCRIBE t")
print(result.get_table_schema())
print(result.get_resolved_schema())
result.print()
derived = env.sql_query("SELECT name, ts FROM t WHERE id > 3")
derived.print_schema()
print(derived.get_schema())
