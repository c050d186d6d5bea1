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
    file.write(
        "a,1,2024-01-01 00:00:01\n"
        "b,2,2024-01-01 00:00:09\n"
        "a,4,2024-01-01 00:00:11\n"
        "b,16,2024-01-01 00:00:12\n"
        "a,8,2024-01-01 00:00:25\n"
    )
show(f"""
    CREATE TABLE t (k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')
""")
show("""
    SELECT window_start, window_end, window_time, SUM(n) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time
""")
show("""
    SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '3' SECOND)) GROUP BY window_start, window_end
""")
show("SELECT * FROM TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' MINUTE))")
show("""
    SELECT window_start, COUNT(DISTINCT k) AS c, MAX(n) AS m FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '20' SECOND)) GROUP BY window_start, window_end HAVING COUNT(*) > 1
""")
