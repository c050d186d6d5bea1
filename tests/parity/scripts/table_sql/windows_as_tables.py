"""SESSION, TUMBLE and HOP as tables: each row with its window, and what is made of such rows."""

import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

path = Path(tempfile.mkdtemp()) / "rows.csv"
path.write_text(
    "a,1,2026-01-01 00:00:01.000\na,2,2026-01-01 00:00:05.000\nb,3,2026-01-01 00:00:07.000\n"
    "a,4,2026-01-01 00:00:30.000\nb,5,2026-01-01 00:00:31.000\na,6,2026-01-01 00:00:33.000\n"
)
t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
for name in ("e", "f"):
    t_env.execute_sql(
        f"CREATE TEMPORARY TABLE {name} (k STRING, x INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH "
        f"('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
    )


def show(query):
    print(query)
    with t_env.execute_sql(query).collect() as rows:
        for row in rows:
            print("   ", row.get_row_kind(), *map(str, row))


BY_K = "SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' SECOND)"
OF_ALL = "SESSION(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)"
NUMBERED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end{}) AS r FROM {}"

show(f"SELECT k, x, window_start, window_end, window_time FROM {BY_K}")
show(f"SELECT k, x, window_start, window_end FROM {OF_ALL}")
show(f"SELECT k, x, window_start FROM {BY_K} WHERE x > 1")
show(f"SELECT k, x, window_start FROM {BY_K} WHERE window_end > TIMESTAMP '2026-01-01 00:00:20'")
show("SELECT k, x, r FROM (" + NUMBERED.format(", k ORDER BY x DESC", BY_K) + ") WHERE r <= 1")
show("SELECT k, x FROM (" + NUMBERED.format(", k ORDER BY ts", BY_K) + ") WHERE r = 1")
show(
    f"SELECT a.k, a.x, b.x FROM (SELECT * FROM {BY_K}) a JOIN (SELECT * FROM {BY_K}) b "
    "ON a.window_start = b.window_start AND a.window_end = b.window_end AND a.k = b.k"
)
show(f"SELECT k, COUNT(*) FROM {BY_K} GROUP BY k")
show(f"SELECT window_start, window_end, COUNT(*) FROM {BY_K} GROUP BY window_start, window_end")
show(f"SELECT k, x, SUM(x) OVER (PARTITION BY k ORDER BY window_time) FROM {BY_K}")
show("SELECT k, x FROM TUMBLE(TABLE e, DESCRIPTOR(pt), INTERVAL '1' SECOND)")
show("SELECT k, x, window_start FROM CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)")
