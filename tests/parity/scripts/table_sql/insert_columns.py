from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE p (a INT, b STRING, c DOUBLE) WITH ('connector' = 'print')")
env.execute_sql("INSERT INTO p VALUES (1, 'x', 1.5), (2, CAST(NULL AS STRING), CAST(2 AS DOUBLE))").wait()
env.execute_sql("INSERT INTO p (b, a) VALUES ('swapped', 3)").wait()
env.execute_sql("INSERT INTO p (c) SELECT 4").wait()
env.execute_sql("INSERT INTO p SELECT CAST(5 AS TINYINT), 'five', CAST(5.5 AS FLOAT)").wait()
