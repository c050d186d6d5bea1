import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

ACME = [12, 17, 19, 21, 25, 18, 15, 14, 24, 25, 19]
DOWN = [12, 11, 10, 9, 25, 3, 4, 10, 15, 25, 25, 30]
TAXES = [1, 2, 1, 3, 2, 1, 1, 2, 2, 1, 1]
TABLES = {
    "t": [("ACME", str(tax), price, second) for second, (price, tax) in enumerate(zip(ACME, TAXES, strict=True), 1)],
    "u": [("XYZ", "1", price, second) for second, price in enumerate(DOWN, 1)],
}
MESSAGES = ("Could not skip to first element of a match",)


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
FALL = (
    "DOWN AS (LAST(DOWN.v, 1) IS NULL AND DOWN.v < BEGINS.v) OR DOWN.v < LAST(DOWN.v, 1), UP AS UP.v > LAST(DOWN.v, 1)"
)
match(
    "BEGINS.ts AS start_tstamp, LAST(DOWN.ts) AS bottom_tstamp, LAST(UP.ts) AS end_tstamp",
    "BEGINS DOWN+ UP",
    FALL,
    "ONE ROW PER MATCH AFTER MATCH SKIP TO LAST UP",
)
for table in TABLES:
    for pattern in ("A+ B", "A+ B C", "A B* C"):
        match(
            "FIRST(A.ts) AS start_tstamp, LAST(A.ts) AS end_tstamp, AVG(A.v) AS average",
            pattern,
            "A AS AVG(A.v) < 15",
            "ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW",
            table=table,
        )
    match("C.v AS last_price", "A B* C", "A AS A.v > 10, B AS B.v < 15, C AS C.v > 12", table=table)
    match(
        "C.v AS last_price",
        "A B*? C",
        "A AS A.v > 10, B AS B.v < 15, C AS C.v > 12",
        "AFTER MATCH SKIP PAST LAST ROW",
        table=table,
    )
    match(
        "A.v - C.v AS drop_in_price",
        "A B* C",
        "B AS B.v > A.v - 10, C AS C.v < A.v - 10",
        "ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW",
        "WITHIN INTERVAL '1' HOUR",
        table,
    )
    match(
        "FIRST(A.v) AS f, LAST(A.v) AS l",
        "A+ B",
        "A AS LAST(A.v, 1) IS NULL OR A.v * CAST(A.s AS INT) < 40",
        table=table,
    )
    match(
        "SUM(A.v * CAST(A.s AS INT)) AS total, LAST(A.v, 0) AS l, FIRST(A.v, 1) AS second_price",
        "A+ B",
        "A AS A.v > 12",
        table=table,
    )
    for skip in ("PAST LAST ROW", "TO NEXT ROW", "TO LAST A", "TO FIRST A"):
        match(
            "SUM(A.v) AS s, FIRST(A.ts) AS f, LAST(A.ts) AS l",
            "A+ C",
            "A AS SUM(A.v) < 30",
            f"AFTER MATCH SKIP {skip}",
            table=table,
        )
