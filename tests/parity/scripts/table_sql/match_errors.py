import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

TABLES = {
    name: [("a", letter, place, place) for place, letter in enumerate(letters)]
    for name, letters in {"t": "abbcabc", "u": "aabbbccab", "w": "xaxbbxcaabbc"}.items()
}
MESSAGES = (
    "Greedy quantifiers are not allowed as the last element",
    "Patterns that can produce empty matches are not supported",
    "Pattern variables must be unique",
    "Optional pattern cannot be preceded by greedy pattern",
    "You must specify either rowtime or proctime for order by as the first one",
    "You must specify either rowtime or proctime for order by",
    "Primary sort order of a streaming table must be ascending on time",
    "Match Recognize doesn't support consuming update changes",
    "has already been defined",
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
for pattern in (
    *(
        "A | B",
        "PERMUTE(A, B)",
        "A {- B -} C",
        "(A B)+ C",
        "A?? B",
        "A B??",
        "A B+",
        "A B*",
        "A B{1,3}",
        "A*",
        "A?",
        "A B A",
    ),
    *("A{0} B", "A{2,1} B", "A{,3} B", "A{,} B", "A{-1} B", "A* B* C", "A+ B? C", "A{0,2} B{0,1} C", "A*? B*?"),
):
    match("COUNT(*) AS n", pattern, "A AS s = 'a'")
for by in ("PARTITION BY k", "ORDER BY v", "ORDER BY ts DESC", "ORDER BY v, ts", "PARTITION BY k ORDER BY s, ts"):
    match("A.v AS x", "A B", "A AS s = 'a'", by=by)
for rest in (
    "ALL ROWS PER MATCH",
    "AFTER MATCH SKIP TO FIRST Z",
    "AFTER MATCH SKIP TO Z",
    "AFTER MATCH SKIP",
    "NO ROW PER MATCH",
):
    match("A.v AS x", "A B", "A AS s = 'a'", rest)
for measures in (
    "A.v",
    "Z.v AS x",
    "A.zz AS x",
    "CLASSIFIER() AS x",
    "MATCH_NUMBER() AS x",
    "RUNNING LAST(A.v) AS x",
    "COUNT(A.*) AS x",
    "SUM(s) AS x",
    "SUM(v) FILTER (WHERE v > 1) AS x",
):
    match(measures, "A B", "A AS s = 'a'")
for define in (
    "A AS z > 1",
    "A AS s = 'a', A AS s = 'b'",
    "A AS EXISTS (SELECT 1 FROM t)",
    "A AS ROW_NUMBER() OVER (ORDER BY ts) > 1",
):
    match("A.v AS x", "A B", define)
match("A.v AS x", "A B", "A AS TRUE", table="(SELECT k, MAX(ts) AS ts, COUNT(*) AS v FROM t GROUP BY k)")
show("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts PATTERN (A B) DEFINE A AS s = 'a')", streaming)
show("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.v AS x PATTERN (A B))", streaming)
show("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.v AS x DEFINE A AS s = 'a')", streaming)
