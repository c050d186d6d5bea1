from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE p (a INT NOT NULL, b STRING) WITH ('connector' = 'print')")
env.get_config().set("table.exec.sink.not-null-enforcer", "DROP")
env.execute_sql("INSERT INTO p SELECT NULLIF(n, 2), 'x' FROM (VALUES (1), (2), (3)) AS t(n)").wait()
