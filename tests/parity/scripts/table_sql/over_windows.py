import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = [
    *[("a", 1, 1000), ("b", 2, 2000), ("a", 3, 2000), ("a", 4, 2000), ("b", 5, 1500), ("a", 6, 9000), ("a", 7, 3000)],
    *[("b", 8, 9000), ("a", None, 11000), ("a", 9, 12000), ("c", 10, 9500), ("c", 10, 9500), ("b", 0, 8500)],
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
        "WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) "
        f"WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"
    )
    return t_env


streaming = environment(EnvironmentSettings.in_streaming_mode())
batch = environment(EnvironmentSettings.in_batch_mode())


def show(t_env, query, in_order=False):
    with t_env.execute_sql(query).collect() as rows:
        found = [f"{row.get_row_kind()} {row}" for row in rows]
    print(query)
    print(*(found if in_order else sorted(found)), sep="\n")


def both(query):
    show(streaming, query)
    show(batch, query.replace("ORDER BY ts", "ORDER BY ts, v"))


BY_TIME = "PARTITION BY k ORDER BY ts"
both(f"SELECT k, v, SUM(v) OVER ({BY_TIME}) FROM e")
both(f"SELECT k, v, COUNT(*) OVER w, SUM(v) OVER w AS s FROM e WINDOW w AS ({BY_TIME} ROWS UNBOUNDED PRECEDING)")
both(
    "SELECT k, v, SUM(v) OVER w, COUNT(v) OVER w, AVG(v) OVER w, MAX(v) OVER w, MIN(v) OVER w, FIRST_VALUE(v) OVER w, "
    f"LAST_VALUE(v) OVER w FROM e WINDOW w AS ({BY_TIME} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
)
both(f"SELECT k, LISTAGG(CAST(v AS STRING)) OVER ({BY_TIME} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM e")
show(streaming, f"SELECT k, COUNT(DISTINCT v) OVER ({BY_TIME} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM e")
show(
    streaming,
    "SELECT k, v, SUM(v) OVER w, MAX(v) OVER w, FIRST_VALUE(v) OVER w, LAST_VALUE(v) OVER w FROM e "
    f"WINDOW w AS ({BY_TIME} RANGE BETWEEN INTERVAL '2' SECOND PRECEDING AND CURRENT ROW)",
)
show(
    streaming,
    "SELECT k, v, SUM(v) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '1' SECOND PRECEDING AND CURRENT ROW) FROM e",
)
both(f"SELECT k, v, SUM(v) OVER ({BY_TIME} ROWS BETWEEN INTERVAL '2' SECOND PRECEDING AND CURRENT ROW) FROM e")
both(f"SELECT k, v, LAG(v) OVER ({BY_TIME}), LAG(v, 2, -1) OVER ({BY_TIME}) FROM e WHERE v <> 4")
both(f"SELECT k, v, ROW_NUMBER() OVER ({BY_TIME}) FROM e")
show(streaming, f"SELECT k, RANK() OVER ({BY_TIME}), DENSE_RANK() OVER ({BY_TIME}) FROM e")
both("SELECT UPPER(k), SUM(v * 2) OVER (PARTITION BY UPPER(k) ORDER BY ts) + 1 AS s FROM e WHERE v > 1")
both(f"SELECT k, s FROM (SELECT k, SUM(v) OVER ({BY_TIME}) AS s FROM e) WHERE s > 3")
both(f"SELECT DISTINCT k, SUM(v) OVER ({BY_TIME}) AS s FROM e")
both(f"SELECT ts, COUNT(*) OVER ({BY_TIME}) AS s FROM e")
both(
    "SELECT window_start, SUM(n) OVER (ORDER BY window_time) FROM (SELECT window_start, window_end, window_time, "
    "COUNT(*) n FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '2' SECOND)) "
    "GROUP BY window_start, window_end, window_time)"
)
show(streaming, f"SELECT k, MAX(s) FROM (SELECT k, SUM(v) OVER ({BY_TIME}) AS s FROM e) GROUP BY k")

BY_CLOCK = "PARTITION BY k ORDER BY p"
show(streaming, f"SELECT k, v, SUM(v) OVER ({BY_CLOCK}), COUNT(*) OVER ({BY_CLOCK}) FROM e", in_order=True)
show(streaming, f"SELECT k, v, SUM(v) OVER ({BY_CLOCK} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM e", in_order=True)
show(streaming, f"SELECT k, v, ROW_NUMBER() OVER ({BY_CLOCK}) FROM e", in_order=True)

for order in ("PARTITION BY k ORDER BY v", "PARTITION BY k ORDER BY v ROWS UNBOUNDED PRECEDING", "ORDER BY v"):
    show(streaming, f"SELECT k, v, SUM(v) OVER ({order}), COUNT(*) OVER ({order}) FROM e", in_order=True)
show(streaming, "SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) FROM e", in_order=True)
show(streaming, "SELECT k, RANK() OVER (PARTITION BY k ORDER BY v) FROM e", in_order=True)
COUNTS = "(SELECT k, COUNT(*) AS n FROM e GROUP BY k)"
show(streaming, f"SELECT k, n, SUM(n) OVER (ORDER BY n) FROM {COUNTS}", in_order=True)
show(streaming, f"SELECT k, SUM(n) OVER (PARTITION BY k ORDER BY k) FROM {COUNTS}", in_order=True)
show(streaming, "SELECT k, SUM(v) + 1, SUM(SUM(v)) OVER (PARTITION BY k ORDER BY k) FROM e GROUP BY k", in_order=True)
show(batch, "SELECT k, SUM(v) + 1, SUM(SUM(v)) OVER (ORDER BY k) FROM e GROUP BY k")

for function in ("LEAD(v)", "LEAD(v, 2, v)", "RANK()", "DENSE_RANK()", "NTILE(2)", "PERCENT_RANK()", "CUME_DIST()"):
    show(batch, f"SELECT k, v, {function} OVER (PARTITION BY k ORDER BY ts, v) FROM e", in_order=True)
for frame in (
    "ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING",
    "ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING",
    "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    "ROWS BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "RANGE BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
):
    both_ends = f"PARTITION BY k ORDER BY v {frame}"
    show(batch, f"SELECT k, v, SUM(v) OVER ({both_ends}), COUNT(*) OVER ({both_ends}) FROM e", in_order=True)
show(batch, "SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY v DESC) FROM e", in_order=True)
show(batch, "SELECT k, v, SUM(v) OVER (PARTITION BY k), COUNT(*) OVER () FROM e")
show(batch, f"SELECT k, v, SUM(v) OVER ({BY_TIME}), MIN(v) OVER (ORDER BY ts DESC) FROM e")

for t_env, query in (
    (streaming, f"SELECT SUM(v) OVER ({BY_TIME} DESC) FROM e"),
    (streaming, "SELECT SUM(v) OVER (PARTITION BY k) FROM e"),
    (streaming, "SELECT SUM(v) OVER (ORDER BY ts, v) FROM e"),
    (streaming, f"SELECT SUM(v) OVER ({BY_TIME} ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM e"),
    (streaming, f"SELECT LEAD(v) OVER ({BY_TIME}) FROM e"),
    (streaming, f"SELECT NTILE(2) OVER ({BY_TIME}) FROM e"),
    (batch, f"SELECT SUM(v) OVER ({BY_TIME} RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM e"),
    (batch, f"SELECT v FROM e WHERE SUM(v) OVER ({BY_TIME}) > 3"),
    (batch, f"SELECT UPPER(k) OVER ({BY_TIME}) FROM e"),
    (batch, f"SELECT SUM(v) FILTER (WHERE v > 2) OVER ({BY_TIME}) FROM e"),
    (batch, "SELECT ROW_NUMBER() FROM e"),
):
    try:
        show(t_env, query)
    except Exception as error:
        print(query, "TableException" if type(error).__name__ == "TableException" else "is refused")
