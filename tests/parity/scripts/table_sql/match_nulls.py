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
    "Illegal use of 'NULL'",
    "DEFINE clause must be a condition",
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
match("A.v AS x, C.v AS y", "A B* C", "A AS s = 'a', B AS s = 'b' AND v > A.v, C AS s = 'c' AND (v IS NULL OR v > 0)")
match("A.v AS x, B.v AS y", "A B", "A AS NOT (A.v > 3)")
match("A.v AS x, B.v AS y", "A B", "A AS (A.v > 3) IS NOT TRUE, B AS B.v IS DISTINCT FROM A.v")
match("A.v AS x, COUNT(B.v) AS n, SUM(B.v) AS s", "A B* C", "A AS s = 'a', B AS B.v < 5, C AS TRUE")
match("B.v AS x, LAST(B.v, 1) AS y, COALESCE(B.v, A.v, 0) AS z", "A B* C", "A AS s = 'a', B AS s = 'b', C AS s = 'c'")
match("A.v AS x", "A B", "A AS s = 'a', B AS LAST(A.v, 1) IS NULL AND FIRST(A.v, 1) IS NULL")
match("A.v AS x", "A B C", "B AS C.v IS NULL AND LAST(C.v) IS NULL AND C.s IS NULL")
match("A.v AS x", "A B? C", "A AS s = 'a', B AS s = 'b', C AS (B.v > 0) IS UNKNOWN")
match("A.v AS x", "A B", "A AS CAST(NULL AS BOOLEAN)")
match("CAST(NULL AS INT) AS x, 1 AS y", "A B", "A AS s = 'c'")
match("A.v AS x", "A B", "A AS NULL")
match("A.v AS x", "A B", "A AS A.v")
