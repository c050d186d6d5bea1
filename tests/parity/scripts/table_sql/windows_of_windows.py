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
CUMULATE = "TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '20' SECOND))"
SESSION = "TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' SECOND))"


def inner(source):
    return f"SELECT window_start, window_end, k, SUM(v) AS s FROM {source} GROUP BY window_start, window_end, k"


def show(text):
    print(text)
    env.execute_sql(text).print()


for source in (TUMBLE, HOP, CUMULATE, SESSION):
    show(f"SELECT window_start, window_end, MAX(s), COUNT(*) FROM ({inner(source)}) GROUP BY window_start, window_end")
show(
    f"WITH c AS ({inner(TUMBLE)}) SELECT ws, SUM(s) FROM (SELECT window_start AS ws, window_end AS we, s FROM c WHERE s > 1) GROUP BY ws, we"
)
env.execute_sql(f"CREATE TEMPORARY VIEW totals AS {inner(HOP)}")
show(
    "SELECT window_end, MIN(m) FROM (SELECT window_start, window_end, k, MAX(s) AS m FROM totals GROUP BY window_start, window_end, k) WHERE window_end > TIMESTAMP '2024-01-01 00:00:20' GROUP BY window_start, window_end"
)
show(
    f"SELECT window_start, COUNT(*) FROM (SELECT DISTINCT window_start, window_end, k FROM {TUMBLE}) GROUP BY window_start, window_end"
)
show(f"SELECT window_start, SUM(s) FROM ({inner(TUMBLE)} UNION ALL {inner(TUMBLE)}) GROUP BY window_start, window_end")
show(f"SELECT window_start, SUM(v) FROM {TUMBLE} GROUP BY window_start")
