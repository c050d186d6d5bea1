import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
with open("in.csv", "w") as file:
    file.write("a,1,2024-01-01 00:00:01\na,2,2024-01-01 00:00:03\nb,4,2024-01-01 00:00:04\na,8,2024-01-01 00:00:18\n")
path = os.path.abspath("in.csv")


def show(name, text):
    try:
        with env.execute_sql(text).collect() as rows:
            print(name, *sorted(str(row) for row in rows), sep="\n  ")
    except Exception:
        print(name, "fails")


WINDOWS = {
    "tumble": "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)",
    "hop": "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
    "cumulate": "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
    "session": "SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)",
    "session of each": "SESSION(TABLE t PARTITION BY {c}, DESCRIPTOR(ts), INTERVAL '5' SECOND)",
}
for column in ("k", "window_time", "window_start", "window_end", "WINDOW_TIME"):
    env.execute_sql("DROP TEMPORARY TABLE IF EXISTS t")
    env.execute_sql(
        f"CREATE TEMPORARY TABLE t ({column} STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        f"WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
    )
    for name, window in WINDOWS.items():
        window = window.format(c=column)
        keyed = f"SELECT {column}, SUM(n) FROM TABLE({window}) GROUP BY window_start, window_end, {column}"
        if name != "session":
            show(f"{column} {name} keys", keyed)
        sums = f"SELECT window_start, window_end, SUM(n) FROM TABLE({window}) GROUP BY window_start, window_end"
        if name != "session of each":
            show(f"{column} {name} sums", sums)
        if not name.startswith("session"):
            show(f"{column} {name} rows", f"SELECT * FROM TABLE({window})")
            show(f"{column} {name} counts", f"SELECT COUNT(*) FROM (SELECT n FROM TABLE({window}))")
    for old in ("TUMBLE(ts, INTERVAL '5' SECOND)", "SESSION(ts, INTERVAL '5' SECOND)"):
        show(f"{column} {old}", f"SELECT {column}, SUM(n) FROM t GROUP BY {column}, {old}")
