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
        "a,2,2024-01-01 00:00:03\n"
        "b,4,2024-01-01 00:00:04\n"
        "a,8,2024-01-01 00:00:18\n"
        "a,9,2024-01-01 00:00:19\n"
    )
show(f"""
    CREATE TABLE t (k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')
""")
show("""
    SELECT window_start, window_end, SUM(n) AS s FROM TABLE(SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end
""")
show("""
    SELECT window_start, window_end, k, SUM(n) AS s FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end, k
""")
show("""
    SELECT SESSION_START(ts, INTERVAL '5' SECOND) AS s, SESSION_END(ts, INTERVAL '5' SECOND) AS e, COUNT(*) AS c FROM t GROUP BY SESSION(ts, INTERVAL '5' SECOND)
""")
