import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


env.execute_sql(f"""
    CREATE TABLE t WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("out")}', 'format' = 'csv') AS SELECT 1 AS id, 'x' AS name
""").wait()
show("DESCRIBE t")
show("SELECT * FROM t")
show("SHOW TABLES")
