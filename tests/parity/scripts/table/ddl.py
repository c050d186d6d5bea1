from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

env.execute_sql(
    "CREATE TABLE t (id INT, name STRING, ts TIMESTAMP(3), "
    "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'datagen')"
).print()
env.execute_sql("SHOW TABLES").print()
env.execute_sql("DESCRIBE t").print()
env.execute_sql("CREATE VIEW v AS SELECT id FROM t").print()
env.execute_sql("SHOW VIEWS").print()
env.execute_sql("SHOW TABLES").print()
env.execute_sql("DROP VIEW v").print()
env.execute_sql("DROP TABLE IF EXISTS nothing").print()
env.execute_sql("DROP TABLE t").print()
env.execute_sql("SHOW TABLES").print()
