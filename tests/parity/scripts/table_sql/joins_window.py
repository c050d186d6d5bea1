# parity: any order
import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
with open("o.csv", "w") as file:
    file.write(
        "a,1,2024-01-01 00:00:01\nb,2,2024-01-01 00:00:07\na,4,2024-01-01 00:00:11\nc,8,2024-01-01 00:00:18\n,16,2024-01-01 00:00:19\nd,9,2024-01-01 00:01:00\n"
    )
with open("s.csv", "w") as file:
    file.write(
        "a,10,2024-01-01 00:00:02\na,20,2024-01-01 00:00:12\n,25,2024-01-01 00:00:20\nb,30,2024-01-01 00:00:30\ne,40,2024-01-01 00:00:31\nd,50,2024-01-01 00:01:01\n"
    )
for name, number in (("o", "v"), ("s", "w")):
    env.execute_sql(f"""
        CREATE TABLE {name} (id STRING, {number} INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath(name)}.csv', 'format' = 'csv', 'csv.null-literal' = '')
    """)
BOUNDED = "o.id = s.id AND s.ts BETWEEN o.ts AND o.ts + INTERVAL '5' SECOND"


def show(text):
    print(text)
    try:
        env.execute_sql(text).print()
    except Exception as error:
        print("no time attribute" if "is a time attribute type, but is" in str(error) else "fails")


def windows(name, size=10):
    return f"(SELECT * FROM TABLE(TUMBLE(TABLE {name}, DESCRIPTOR(ts), INTERVAL '{size}' SECOND)))"


for kind in ("LEFT JOIN", "RIGHT JOIN", "FULL JOIN"):
    show(
        f"SELECT L.id, L.v, R.w, L.window_start, R.window_end FROM {windows('o')} L {kind} {windows('s')} R ON L.id = R.id AND L.window_start = R.window_start AND L.window_end = R.window_end"
    )
show(
    f"SELECT L.id, L.v, R.w FROM {windows('o')} L LEFT JOIN {windows('s')} R ON L.window_start = R.window_start AND L.window_end = R.window_end AND L.v < R.w"
)
show(
    f"SELECT L.window_start, COUNT(*), SUM(L.v + R.w) FROM {windows('o')} L JOIN {windows('s')} R ON L.window_start = R.window_start AND L.window_end = R.window_end GROUP BY L.window_start, L.window_end"
)
