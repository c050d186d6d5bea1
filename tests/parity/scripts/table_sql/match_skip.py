import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

TABLES = {
    name: [("a", letter, place, place) for place, letter in enumerate(letters)]
    for name, letters in {"t": "abbcabc", "u": "aabbbccab", "w": "xaxbbxcaabbc"}.items()
}
MESSAGES = ("Could not skip to first element of a match", "Could not skip to B")


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
ALL = "FIRST(A.v) AS fa, FIRST(B.v) AS fb, COUNT(B.v) AS nb, LAST(C.v) AS lc, COUNT(*) AS n"
LETTERS = "A AS A.s = 'a', B AS B.s = 'b', C AS C.s = 'c'"
FREE = "A AS A.v >= 0"
SKIPS = (
    "",
    *(f"AFTER MATCH SKIP {each}" for each in ("TO NEXT ROW", "PAST LAST ROW", "TO FIRST B", "TO LAST B", "TO B")),
)
for after in SKIPS:
    match(ALL, "A B+ C", LETTERS, after, table="w")
    match(ALL, "A B C", FREE, after)
    match(ALL, "A B{2} C", FREE, after)
    match(ALL, "A B*? C", LETTERS, after, table="u")
match(ALL, "A B C", FREE, "AFTER MATCH SKIP TO FIRST A")
match(ALL, "A+ B C", LETTERS, "AFTER MATCH SKIP TO LAST A", table="u")
match(ALL, "A B? C", "A AS A.s <> 'c', B AS B.s = 'b', C AS C.s = 'c'", "AFTER MATCH SKIP TO LAST B", table="u")
match(ALL, "A B* C", "A AS A.s = 'a', C AS C.v > 0 AND COUNT(B.v) < 1, B AS B.s = 'z'", "AFTER MATCH SKIP TO B")
