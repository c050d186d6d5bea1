import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

WAITING = [
    ("a", "x", 10, 1),
    ("a", "x", 1, 2),
    ("a", "x", 5, 3),
    ("a", "x", 4, 4),
    ("a", "x", 20, 9),
    ("a", "x", 3, 10),
]
TABLES = {
    "t": [*WAITING, ("a", "x", 7, 11)],
    "u": WAITING[:4],
    "w": [("a", "abc"[place % 3], place, place * place / 8) for place in range(20)],
}
MESSAGES = ("Only constant intervals with millisecond resolution",)


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
ALL = "A.v AS a, B.v AS b, COUNT(*) AS n, MATCH_ROWTIME() AS rt"
for table in ("t", "u"):
    for within in ("", "WITHIN INTERVAL '3' SECOND", "WITHIN INTERVAL '8' SECOND", "WITHIN INTERVAL '0' SECOND"):
        for after in ("AFTER MATCH SKIP TO NEXT ROW", "AFTER MATCH SKIP PAST LAST ROW"):
            match(ALL, "A X*? B", "B AS B.v > A.v", after, within, table)
for seconds in ("1", "1.125", "1.126", "2", "5", "12"):
    within = f"WITHIN INTERVAL '{seconds}' SECOND"
    match("A.v AS a, C.v AS c, COUNT(*) AS n", "A B* C", "A AS s = 'a', B AS s = 'b', C AS s = 'c'", "", within, "w")
    match("A.v AS a, LAST(v) AS c", "A X{3}", "A AS s = 'a'", "", within, "w")
match(ALL, "A B", "A AS s = 'a'", "", "WITHIN INTERVAL '1' MONTH")
