from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE p (a INT, b STRING) WITH ('connector' = 'print')")
show("CREATE TABLE e (a INT) WITH ('connector' = 'blackhole')")
env.execute_sql("EXECUTE STATEMENT SET BEGIN INSERT INTO p SELECT 1, 'x'; INSERT INTO e SELECT 2; END").wait()
env.execute_sql("EXECUTE STATEMENT SET BEGIN INSERT INTO p VALUES (3, 'y'), (4, 'z'); END").wait()
