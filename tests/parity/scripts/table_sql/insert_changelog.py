from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE p (k STRING, n BIGINT) WITH ('connector' = 'print', 'print-identifier' = 'sums')")
env.execute_sql("INSERT INTO p SELECT k, COUNT(*) FROM (VALUES ('a'), ('b'), ('a')) AS t(k) GROUP BY k").wait()
show("CREATE TABLE q (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'print')")
env.execute_sql("INSERT INTO q SELECT k, COUNT(*) FROM (VALUES ('a'), ('b'), ('a')) AS t(k) GROUP BY k").wait()
show("CREATE TABLE e (k STRING, n BIGINT) WITH ('connector' = 'blackhole')")
env.execute_sql("INSERT INTO e SELECT k, COUNT(*) FROM (VALUES ('a')) AS t(k) GROUP BY k").wait()
