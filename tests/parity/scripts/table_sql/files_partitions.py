import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show(f"""
    CREATE TABLE t (a INT, p STRING, q INT) PARTITIONED BY (p, q) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("out")}', 'format' = 'csv')
""")
env.execute_sql("INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2), (3, 'w w', 3)").wait()
env.execute_sql("INSERT INTO t PARTITION (p = 'z', q = 9) SELECT 4").wait()
env.execute_sql("INSERT INTO t PARTITION (p = 'z') SELECT 5, 8").wait()
show("SELECT * FROM t ORDER BY a")
show("SELECT a, q FROM t WHERE p = 'z' ORDER BY a")
show("SHOW CREATE TABLE t")
