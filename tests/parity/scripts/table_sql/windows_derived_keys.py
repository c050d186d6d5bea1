# parity: any order
import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
with open("in.csv", "w") as file:
    file.write(
        "a,1,2024-01-01 00:00:01\nb,2,2024-01-01 00:00:07\na,4,2024-01-01 00:00:11\na,8,2024-01-01 00:00:18\n"
        "b,16,2024-01-01 00:00:25\nc,32,2024-01-01 00:00:41\n"
    )
env.execute_sql(f"""
    CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')
""")
TUMBLE = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
HOP = "TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '20' SECOND))"
SESSION = "TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' SECOND))"


def show(text):
    print(text)
    env.execute_sql(text).print()


for source in (TUMBLE, HOP):
    show(
        f"SELECT window_start, DATE_FORMAT(window_start, 'HH:mm') AS d, COUNT(*) FROM {source} GROUP BY window_start, window_end, DATE_FORMAT(window_start, 'HH:mm')"
    )
    show(
        f"SELECT CAST(window_start AS DATE) AS d, k, MIN(window_start), MAX(window_time) FROM {source} GROUP BY window_start, window_end, CAST(window_start AS DATE), k"
    )
    show(
        f"SELECT window_end, SUM(v) FROM {source} WHERE window_start >= TIMESTAMP '2024-01-01 00:00:10' AND v > 4 GROUP BY window_start, window_end"
    )
show(
    f"SELECT d, k, SUM(v) FROM (SELECT window_start, window_end, DATE_FORMAT(window_end, 'mm:ss') AS d, k, v FROM {TUMBLE}) GROUP BY window_start, window_end, d, k"
)
show(
    f"SELECT window_start, x, COUNT(*) FROM (SELECT window_start, window_end, DATE_FORMAT(window_end, 'ss') || k AS x FROM {TUMBLE}) GROUP BY window_start, window_end, x"
)
show(
    f"SELECT window_start, k, DATE_FORMAT(window_start, 'ss'), MIN(window_start) FROM {SESSION} GROUP BY window_start, window_end, k, DATE_FORMAT(window_start, 'ss')"
)
show(f"SELECT window_start, COUNT(DISTINCT window_end), SUM(v) FROM {TUMBLE} GROUP BY window_start, window_end")
