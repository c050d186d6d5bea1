import json
import os
import random
import tempfile

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import EnvironmentSettings, Schema, StreamTableEnvironment, TableEnvironment

TUMBLE = "TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' SECOND))"
COUNTS = f"SELECT window_start, COUNT(*), MIN(v), MAX(v) FROM {TUMBLE} GROUP BY window_start, window_end"


def show(name, seconds, watermark="ts", query=COUNTS, **settings):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for key, value in {"parallelism.default": "1", **settings}.items():
        t_env.get_config().set(key, value)
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "rows"), "w") as file:
        for v, at in enumerate(seconds):
            ms = round(at * 1000)
            time = f"2024-01-01 {ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02}.{ms % 1000:03}"
            file.write(json.dumps({"v": v, "k": v % 2, "ts": time}) + "\n")
    t_env.execute_sql(
        f"CREATE TABLE s (v INT, k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS {watermark}) "
        f"WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"
    )
    with t_env.execute_sql(query).collect() as rows:
        print(name, sorted(str(row) for row in rows))


show("by ten seconds", [0, 10, 5, 0.1, 11])
show("by less than 200 ms", [0.9, 1.05, 0.95, 1.1, 0.97])
show("by about 200 ms", [0.9, 1.099, 0.95, 1.1, 0.96, 1.101, 0.97, 1.3, 0.98])
show("the first row", [0.0, 0.5, 0.1])
show("the end of a window", [0.999, 0.999, 0.999, 2, 2, 1.999, 1.999])
show("a delay", [0, 3, 1.5, 0.5, 5, 2.9, 3.1, 1.2], "ts - INTERVAL '2' SECOND")
show("an expression", [0, 10, 5, 0.1, 11, 10.5], "CASE WHEN v = 1 THEN NULL ELSE ts END")
show("ahead of its rows", [0, 10, 5, 0.1, 11, 14.9, 15.2, 16.2], "ts + INTERVAL '5' SECOND")
show("no gap", [0.9, 1.05, 0.95, 1.1, 0.97], **{"pipeline.auto-watermark-interval": "0 ms"})
show("a large gap", [0, 10, 5, 0.1, 21, 3], **{"pipeline.auto-watermark-interval": "15 s"})

session = "TABLE(SESSION(TABLE s PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
show(
    "sessions",
    [0, 5, 2, 20, 6],
    query=f"SELECT k, window_end, COUNT(*) FROM {session} GROUP BY k, window_start, window_end",
)
hop = "TABLE(HOP(TABLE s, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '4' SECOND))"
show("hops", [0, 10, 5, 0.1, 8, 11], query=f"SELECT window_end, COUNT(*) FROM {hop} GROUP BY window_start, window_end")
cumulate = "TABLE(CUMULATE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '4' SECOND))"
show(
    "cumulated",
    [0, 3, 1, 0.1, 2, 6],
    query=f"SELECT window_end, COUNT(*) FROM {cumulate} GROUP BY window_start, window_end",
)
show(
    "group windows",
    [0, 10, 5, 0.1, 11],
    query="SELECT COUNT(*), MAX(v) FROM s GROUP BY TUMBLE(ts, INTERVAL '1' SECOND)",
)
show("two levels", [0, 10, 5, 0.1, 9, 12, 11.5, 30], query=(
    "SELECT window_start, SUM(n) FROM TABLE(TUMBLE((SELECT window_time AS wt, COUNT(*) AS n FROM "
    f"{TUMBLE} GROUP BY window_start, window_end, window_time), DESCRIPTOR(wt), INTERVAL '5' SECOND)) "
    "GROUP BY window_start, window_end"
))  # fmt: skip
show("in a filter", [0, 10, 5, 0.1, 11, 10.5], query=COUNTS.replace("GROUP", "WHERE v <> 1 GROUP"))
show("no windows", [0, 10, 5, 0.1, 11], query="SELECT v, ts FROM s")

draw = random.Random(7)
for n in range(8):
    times, now = [], 0.0
    for _ in range(60):
        now += draw.choice((0, 0.001, 0.1, 0.3, 2))
        times.append(round(max(0.0, now - draw.choice((0, 0, 0, 0.05, 0.5, 3))), 3))
    delay = draw.choice(("0", "0.1", "1"))
    show(f"drawn {n}", times, f"ts - INTERVAL '{delay}' SECOND")

PAIR = Types.TUPLE([Types.INT(), Types.LONG()])
for interval in (200, 0, 5000):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.get_config().set_auto_watermark_interval(interval)
    t_env = StreamTableEnvironment.create(env)
    stream = env.from_collection([(v, at) for v, at in enumerate([0, 1000, 1100, 950, 2500, 1900, 9000, 2400])], PAIR)
    columns = Schema.new_builder().column_by_expression("v", "f0").column_by_expression("ts", "TO_TIMESTAMP_LTZ(f1, 3)")
    t_env.create_temporary_view("s", t_env.from_data_stream(stream, columns.watermark("ts", "ts").build()))
    with t_env.execute_sql(COUNTS).collect() as rows:
        print("a stream", interval, sorted(str(row) for row in rows))
