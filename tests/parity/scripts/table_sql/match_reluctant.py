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
ALL = "FIRST(A.v) AS fa, LAST(A.v) AS la, FIRST(B.v) AS fb, COUNT(B.v) AS nb, LAST(C.v) AS lc, COUNT(*) AS n"
LETTERS = "A AS A.s = 'a', B AS B.s = 'b', C AS C.s = 'c'"
OVERLAPPING = "A AS A.v >= 0, B AS B.v >= 2, C AS C.s = 'c'"
for pattern in ("A B*? C", "A+? B{2,}? C+?", "A*? B+? C*?", "A B{1,2}?", "A B{2,}?"):
    match(ALL, pattern.replace("C*?", "C{1,}?") if "C" in pattern else f"{pattern} C", LETTERS, table="u")
for pattern in ("A+? B+? C", "A{1,2}? B{1,2}? C", "A B C{2,3}?", "A B+? C+?", "A*? B*? C", "A{1,3}? B*? C"):
    for after in ("", "AFTER MATCH SKIP PAST LAST ROW"):
        match(ALL, pattern, OVERLAPPING, after, table="u")
        match(ALL, pattern, OVERLAPPING, after)
match("COUNT(*) AS n, LAST(v) AS l", "A B*?", LETTERS, "AFTER MATCH SKIP PAST LAST ROW".replace("PAST LAST", "TO NEXT"))
