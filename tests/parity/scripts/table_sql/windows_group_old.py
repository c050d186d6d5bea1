import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


with open("in.csv", "w") as file:
    file.write("a,1,2024-01-01 00:00:01\nb,2,2024-01-01 00:00:07\na,4,2024-01-01 00:00:11\na,8,2024-01-01 00:00:18\n")
show(f"""
    CREATE TABLE t (k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')
""")
show("""
    SELECT TUMBLE_START(ts, INTERVAL '10' SECOND) AS s, TUMBLE_END(ts, INTERVAL '10' SECOND) AS e, TUMBLE_ROWTIME(ts, INTERVAL '10' SECOND) AS r, SUM(n) AS n FROM t GROUP BY TUMBLE(ts, INTERVAL '10' SECOND)
""")
show("""
    SELECT HOP_START(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND) AS s, HOP_END(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND) AS e, COUNT(*) AS n FROM t GROUP BY HOP(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND)
""")
show("SELECT k, SUM(n) AS n FROM t WHERE k = 'a' GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND)")
show("SELECT TUMBLE_START(ts, INTERVAL '10' SECOND) FROM t")
