import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

TABLES = {
    "t": [
        *[
            ("a", "a", 1, 1),
            ("a", "b", 2, 2),
            ("b", "a", 3, 2),
            ("b", "b", 4, 2.5),
            ("a", "b", None, 3),
            ("b", "c", 6, 3),
        ],
        *[("a", "c", 5, 4), ("a", "a", 7, 4.5), ("a", "c", None, 5), ("a", "b", 8, 3.5), ("c", "a", None, 1)],
        *[(None, "a", 1, 1), (None, "c", 2, 2), ("c", None, None, 2), ("c", "c", 3, 3)],
    ]
}
MESSAGES = (
    "DISTINCT/ALL not allowed",
    "Multiple pattern variables",
    "Aggregate expressions cannot be nested",
    "No pattern variable specified in aggregate",
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
            print(*sorted(f"{row.get_row_kind()} {row}" for row in rows), sep="\n")
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
LETTERS = "A AS A.s = 'a', B AS B.s = 'b', C AS C.s = 'c'"
match(
    "COUNT(*) AS n, COUNT(v) AS nv, SUM(v) AS sv, AVG(v) AS av, MIN(B.v) AS mi, MAX(B.v) AS ma, SUM(B.v) AS sb",
    "A B* C",
    LETTERS,
)
match("COUNT(B.v) AS cv, COUNT(B.s) AS cs, SUM(B.v + 1) AS s1, AVG(CAST(B.v AS DOUBLE)) AS ad", "A B* C", LETTERS)
match("SUM(B.v) + LAST(A.v) AS x, SUM(B.v) + SUM(A.v) AS y, COUNT(*) * 2 AS z", "A B* C", LETTERS)
match("CASE WHEN COUNT(B.v) > 1 THEN 'many' ELSE 'few' END AS z, COALESCE(SUM(B.v), -1) AS s", "A B* C", LETTERS)
match("LISTAGG(B.s) AS l, LISTAGG(s, '-') AS m, FIRST_VALUE(B.v) AS f, LAST_VALUE(v) AS g", "A B* C", LETTERS)
match("MIN(ts) AS x, MAX(A.ts) AS y, STDDEV_POP(v) AS d, COLLECT(B.v) AS c", "A B* C", LETTERS)
for define in (
    "C AS C.s = 'c' AND COUNT(B.s) >= 1 AND FIRST(B.v) > 1",
    "C AS C.s = 'c' AND COUNT(*) > 3",
    "C AS C.s = 'c' AND SUM(C.v) > 3",
    "C AS C.s = 'c' AND SUM(v) > 13",
    "C AS C.s = 'c' AND C.v > AVG(B.v)",
):
    match("A.v AS x, C.v AS y, COUNT(B.s) AS n", "A B* C", f"A AS s = 'a', B AS s = 'b', {define}")
match("A.v AS x, SUM(B.v) AS s, COUNT(B.s) AS n", "A B+ C", "B AS SUM(B.v) < 12")
match("SUM(A.v) AS s, LAST(A.v) AS l", "A+ B", "A AS AVG(A.v) < 4 AND COUNT(A.s) < 3", "AFTER MATCH SKIP PAST LAST ROW")
for wrong in ("COUNT(DISTINCT A.v)", "SUM(DISTINCT v)", "SUM(A.v * B.v)", "SUM(SUM(A.v))", "COUNT(1)"):
    match(f"{wrong} AS x", "A B", LETTERS)
    match("A.v AS x", "A B", f"A AS {wrong} > 0")
