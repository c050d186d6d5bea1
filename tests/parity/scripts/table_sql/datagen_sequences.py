from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TABLE t (a INT, b BIGINT, c STRING, d AS a * 2) WITH ('connector' = 'datagen', 'fields.a.kind' = 'sequence', 'fields.a.start' = '1', 'fields.a.end' = '4',
    'fields.b.kind' = 'sequence', 'fields.b.start' = '10', 'fields.b.end' = '13', 'fields.c.length' = '5')
""")
show("SELECT a, b, d, CHAR_LENGTH(c) AS n FROM t")
show("SELECT SUM(a) AS s, COUNT(*) AS c FROM t")
show("SELECT a FROM t WHERE MOD(a, 2) = 0 LIMIT 1")
show("""
    CREATE TABLE u (a INT, s STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '3', 'fields.a.min' = '7', 'fields.a.max' = '7', 'fields.s.null-rate' = '1')
""")
show("SELECT * FROM u")
show("SELECT COUNT(*) AS c FROM u /*+ OPTIONS('number-of-rows' = '5') */")
show("CREATE TABLE w (a INT) WITH ('connector' = 'datagen', 'unknown' = '1')")
show("SELECT * FROM w")
