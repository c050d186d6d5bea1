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
    CREATE TABLE t (k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')
""")
show("""
    SELECT window_start, window_end, SUM(n) AS s FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start, window_end
""")
show("""
    SELECT window_start, window_end, SUM(n) AS s FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start, window_end
""")
show("""
    SELECT n, window_start, window_end FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '4' SECOND, INTERVAL '8' SECOND)) WHERE n > 2
""")
show("SELECT * FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '3' SECOND, INTERVAL '10' SECOND))")
