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


for kind in ("LEFT JOIN", "FULL JOIN"):
    show(f"SELECT o.id, v, o.ts, s.id, w, s.ts FROM o {kind} s ON {BOUNDED}")
show(f"SELECT o.id, v, w FROM o, s WHERE {BOUNDED} AND w > 10")
show("SELECT o.id, v, w FROM o LEFT JOIN s ON s.ts > o.ts AND s.ts < TIMESTAMPADD(SECOND, 5, o.ts)")
show(
    f"SELECT window_start, COUNT(*), SUM(v) FROM TABLE(TUMBLE((SELECT o.ts AS ts, v FROM o LEFT JOIN s ON {BOUNDED}), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
)
show(
    "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE((SELECT o.ts AS ts, v FROM o JOIN s ON o.id = s.id), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
)
