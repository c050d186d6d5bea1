from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def fails(text):
    try:
        env.execute_sql(text)
    except Exception:
        print("refused:", text)


env.execute_sql("CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
fails("SELECT c FROM t")
fails("SELECT a FROM nothing")
fails("SELECT nofunction(a) FROM t")
fails("SELECT a + FROM t")
fails("SELECT a, SUM(a) FROM t")
fails("SELECT a FROM t WHERE b")
fails("SELECT ARRAY[1] + 1")
fails("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')")
fails("DROP TABLE nothing")
fails("INSERT INTO t SELECT 1")
fails("USE nothing")
