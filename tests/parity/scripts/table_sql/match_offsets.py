import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

PRICES = [12, 17, 19, 21, 25, 18, 15, 14, 24, 25, 19]
TABLES = {"t": [("a", "x", price, place) for place, price in enumerate(PRICES)]}
MESSAGES = (
    "Flink does not support physical offsets within partition",
    "Cannot use PREV/NEXT in MEASURE",
    "Multiple pattern variables",
    "Cannot nest PREV/NEXT under LAST/FIRST",
    "Cannot use aggregation in navigation",
)


def environment(settings):
    t_env = TableEnvironment.create(settings)
    t_env.get_config().set("parallelism.default", "1")
    for name, rows in TABLES.items():
        folder = tempfile.mkdtemp()
        with open(os.path.join(folder, "rows"), "w") as file:
            for k, s, v, second in rows:
                file.write(json.dumps({"k": k, "s": s, "v": v, "ts": f"1970-01-01 00:00:{second:06.3f}"}) + "\n")
        t_env.execute_sql(
            f"CREATE TABLE {name} (k STRING, s STRING, v INT, ts TIMESTAMP(3), p AS PROCTIME(), "
            "WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) "
            f"WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"
        )
    return t_env


def show(query, t_env):
    print(query)
    try:
        with t_env.execute_sql(query).collect() as rows:
            print(*(f"{row.get_row_kind()} {row}" for row in rows), sep="\n")
    except Exception as error:
        print("fails:", next((each for each in MESSAGES if each in str(error)), "otherwise"))


def match(
    measures,
    pattern,
    define,
    after="",
    within="",
    table="t",
    by="PARTITION BY k ORDER BY ts",
    select="*",
    behind="",
    of=None,
):
    show(
        f"SELECT {select} FROM {table} MATCH_RECOGNIZE ({by} MEASURES {measures} {after} PATTERN ({pattern}) {within} "
        f"DEFINE {define}) {behind}",
        of or streaming,
    )


streaming = environment(EnvironmentSettings.in_streaming_mode())
UP = "A AS LAST(A.v, 1) IS NULL OR A.v > LAST(A.v, 1)"
ALL = (
    "FIRST(A.v) AS f, FIRST(A.v, 1) AS f1, FIRST(A.v, 9) AS f9, LAST(A.v) AS l, LAST(A.v, 1) AS l1, LAST(A.v, 2) AS l2"
)
for after in ("", "AFTER MATCH SKIP PAST LAST ROW"):
    match(ALL, "A+ B", UP, after)
    match(
        f"{ALL}, LAST(v, 1) AS a1, FIRST(v, 1) AS b1, B.v AS b", "A+? B", "A AS A.v > 14, B AS B.v > LAST(v, 1)", after
    )
match(
    "A.v AS a, v AS v, LAST(v) AS l, FIRST(v) AS f", "A B", "B AS B.v = LAST(v) AND v > FIRST(A.v) AND A.v = LAST(v, 1)"
)
match("FIRST(A.v + 1) AS f, LAST(A.v * 2, 1) AS l, FIRST(UPPER(A.s), 1) AS u", "A+ B", "A AS A.v > 14")
match("FIRST(7) AS f, FINAL LAST(A.v) AS l, 1 + FINAL FIRST(A.v) AS g", "A B", "A AS LAST(1, 1) = 1 AND LAST(A.v) > 20")
match("A.v AS a", "A B", "A AS A.v = PREV(A.v, 0), B AS NEXT(B.v, 0) > A.v")
for wrong in (
    "A.v > PREV(A.v)",
    "A.v > NEXT(v, 2)",
    "LAST(A.v + B.v) > 1",
    "LAST(LAST(A.v), 1) > 1",
    "FIRST(SUM(A.v)) > 1",
):
    match("A.v AS a", "A B", f"A AS {wrong}")
match("PREV(A.v) AS a", "A B", "A AS A.v > 1")
match("FIRST(A.v * B.v) AS a", "A B", "A AS A.v > 1")
