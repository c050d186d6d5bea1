import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
with open("in.csv", "w") as file:
    file.write("a,1,2024-01-01 00:00:01\na,4,2024-01-01 00:00:11\nb,16,2024-01-01 00:00:25\n")
env.execute_sql(f"""
    CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')
""")
env.execute_sql("""
    CREATE TEMPORARY VIEW w AS SELECT window_start, window_end, window_time AS rt, SUM(v) AS v FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time
""")
TWICE = "TABLE(TUMBLE(TABLE w, DESCRIPTOR(rt), INTERVAL '20' SECOND))"


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception as error:
        print("ambiguous" if "is ambiguous" in str(error) else "fails", text)


show(f"SELECT * FROM {TWICE}")
show(f"SELECT window_start FROM {TWICE}")
show(f"SELECT window_start, SUM(v) FROM {TWICE} GROUP BY window_start, window_end")
show(f"SELECT x.window_end FROM {TWICE} AS x")
show(f"SELECT v FROM {TWICE} WHERE window_end IS NOT NULL")
show(f"SELECT window_start0 FROM {TWICE}")
show(f"SELECT window_start FROM (SELECT * FROM {TWICE})")
show(f"SELECT a FROM {TWICE} AS x (a, b, c, d, e, f, g)")
show(f"SELECT rt, v, window_time FROM {TWICE}")
show("""
    SELECT window_start, SUM(v) FROM TABLE(TUMBLE((SELECT window_start AS ws, window_end AS we, rt, v FROM w), DESCRIPTOR(rt), INTERVAL '20' SECOND)) GROUP BY window_start, window_end
""")
