import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show(f"""
    CREATE TABLE t (a INT, b STRING, c DECIMAL(6, 3), d TIMESTAMP(3), e ARRAY<STRING>, g MAP<STRING, INT>, h ROW<x INT, y STRING>, i BYTES, j DATE, k TIME) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("out")}', 'format' = 'json')
""")
env.execute_sql("""
    INSERT INTO t SELECT 1, 'é"\\', 1.500, TIMESTAMP '2024-01-01 01:02:03.45', ARRAY['a', CAST(NULL AS STRING)], MAP['k', 1], CAST(ROW(1, 'x') AS ROW<x INT, y STRING>), X'0aff', DATE '2024-02-29', TIME '01:02:03'
""").wait()
env.execute_sql("INSERT INTO t (b) VALUES ('only b')").wait()
show("SELECT * FROM t WHERE a = 1")
show("SELECT b, h.x, g['k'] AS k FROM t WHERE a IS NULL")
