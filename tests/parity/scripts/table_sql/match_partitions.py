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
MESSAGES = ("Columns ambiguously defined",)


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
match("A.v AS x, C.v AS y", "A B* C", LETTERS)
match("A.v AS x", "A", "A AS A.v > 0", by="PARTITION BY k, s ORDER BY ts")
match("A.v AS x, C.v AS y", "A B* C", LETTERS, by="ORDER BY ts, v")
match("A.v AS x, k AS kk, A.k AS ak", "A B* C", LETTERS)
match("A.v AS x", "A B* C", LETTERS, select="m.x, k, m.*", behind="AS m")
match("A.v AS x", "A B* C", LETTERS, select="k, SUM(x)", behind="GROUP BY k")
match("A.v AS x", "A B* C", LETTERS, select="x * 2", behind="WHERE x > 1")
match("A.v AS x", "A B", "A AS s = 'a'", table="t AS other")
match("A.v AS x", "A B", "A AS s = 'a'", table="(SELECT * FROM t WHERE v > 0)")
match("A.w AS x", "A B", "A AS A.w > 10", table="(SELECT k, ts, v * 10 AS w FROM t)")
match("A.v AS k", "A B", LETTERS)
match("A.v AS x, B.v AS y", "A B", "A AS v > 0", by="PARTITION BY k ORDER BY ts, v DESC")
match(
    "A.v AS x, B.v AS y",
    "A B",
    "A AS v > 0",
    select="a.x, b.y",
    behind="AS a JOIN (SELECT 'a' AS k, 8 AS y) AS b ON a.k = b.k",
)
