import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = [
    *[("a", 1, 1000), ("b", 2, 2000), ("a", 3, 2000), ("a", 4, 500), ("b", 5, 1500), ("a", 6, 3000), ("a", 7, 3000)],
    *[("b", 8, 4000), ("a", 9, 12000), ("c", 1, 13000), ("c", 2, 12500), ("a", None, 14000), ("b", 8, 14000)],
]


def environment(settings):
    t_env = TableEnvironment.create(settings)
    t_env.get_config().set("parallelism.default", "1")
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "rows"), "w") as file:
        for k, v, ms in ROWS:
            file.write(json.dumps({"k": k, "v": v, "ts": f"1970-01-01 00:00:{ms / 1000:06.3f}"}) + "\n")
    t_env.execute_sql(
        "CREATE TABLE e (k STRING, v INT, ts TIMESTAMP(3), p AS PROCTIME(), "
        "WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) "
        f"WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"
    )
    return t_env


streaming = environment(EnvironmentSettings.in_streaming_mode())
batch = environment(EnvironmentSettings.in_batch_mode())


def show(query, t_env=streaming, in_order=True):
    with t_env.execute_sql(query).collect() as rows:
        found = [f"{row.get_row_kind()} {row}" for row in rows]
    print(query)
    print(*(found if in_order else sorted(found)), sep="\n")


def first(order, condition, columns="k, v", by="PARTITION BY k", rows="e"):
    numbered = f"SELECT *, ROW_NUMBER() OVER ({by} ORDER BY {order}) AS rn FROM {rows}"
    return f"SELECT {columns} FROM ({numbered}) WHERE {condition}"


# The first and the last row of a key.
show(first("ts", "rn = 1"), in_order=False)
show(first("ts", "rn <= 1", "k, v, rn"), in_order=False)
show(first("ts DESC", "rn = 1"))
show(first("p", "rn = 1"))
show(first("p DESC", "rn = 1", "k, v, rn"))
show(first("p", "rn <= 2"))
show(first("ts", "rn <= 2"))
show(first("ts DESC", "rn <= 2", "k, v, rn"))

# The first rows in an order.
show(first("v DESC", "rn <= 2"))
show(first("v DESC", "rn <= 2", "k, v, rn"))
show(first("v DESC, ts", "3 > rn"))
show(first("v", "rn <= 3", "*").replace("SELECT *, ROW", "SELECT k, v, ROW"))
show(first("v DESC", "rn = 2"))
show(first("v DESC", "rn BETWEEN 2 AND 3"))
show(first("v DESC", "rn BETWEEN 2 AND 3", "rn, v + rn"))
show(first("v DESC", "rn <= 2 AND v > 1"))
show(first("v DESC", "rn <= 2", by=""))
show(first("v DESC NULLS LAST", "rn <= 1", "k, v, rn"))
show(first("v", "rn = 1 OR v > 3"))

# Rows that change.
COUNTS = "(SELECT k, COUNT(*) AS n FROM e GROUP BY k)"
for order in ("n DESC", "n", "n DESC, k"):
    for columns in ("k, n", "k, n, rn"):
        show(first(order, "rn <= 2", columns, "", COUNTS))
        show(first(order, "rn <= 1", columns, "", COUNTS))
show(f"SELECT k, COUNT(*) FROM ({first('v DESC', 'rn <= 2')}) GROUP BY k")

# Within windows.
WINDOWS = "TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '2' SECOND))"
SUMS = f"(SELECT window_start, window_end, k, SUM(v) AS s FROM {WINDOWS} GROUP BY window_start, window_end, k)"
for by in ("PARTITION BY window_start, window_end", "PARTITION BY window_end, window_start"):
    show(first("s DESC", "rn <= 1", "window_start, k, s", by, SUMS), in_order=False)
    show(first("s DESC", "rn <= 2", "window_start, k, s, rn", by, SUMS), in_order=False)
show(first("s DESC", "rn = 2", "window_start, k, s, rn", by, SUMS), in_order=False)
whole = "PARTITION BY window_start, window_end, k"
show(first("v DESC", "rn <= 1", "window_start, k, v", whole, WINDOWS), in_order=False)
show(first("ts DESC", "rn = 1", "window_start, k, v", whole, WINDOWS), in_order=False)
show(first("ts", "rn = 1", "window_start, k, v", whole, WINDOWS), in_order=False)

# In batch mode.
for order in ("ts", "v DESC", "v"):
    for condition in ("rn = 1", "rn <= 2", "rn BETWEEN 2 AND 3"):
        show(first(order, condition, "k, v, rn"), batch, in_order=False)
show(first("n DESC, k", "rn <= 2", "k, n", "", COUNTS), batch, in_order=False)

for query in (
    first("v DESC", "rn >= 2"),
    first("v DESC", "rn > v"),
    first("v", "rn < 1"),
    first("v DESC", "rn <= 2").replace("ROW_NUMBER", "RANK"),
):
    try:
        show(query)
    except Exception as error:
        print(query, type(error).__name__)
