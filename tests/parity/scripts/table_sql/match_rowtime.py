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
MESSAGES = ("requires argument to be a row time attribute type",)


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


def inner(measures, define="A AS s = 'a'", pattern="A B"):
    return f"SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES {measures} PATTERN ({pattern}) DEFINE {define})"


match("MATCH_ROWTIME() AS rt, A.ts AS a_ts, B.ts AS b_ts, TIMESTAMPDIFF(SECOND, A.ts, B.ts) AS d", "A B", "A AS v > 0")
match("MATCH_ROWTIME(ts) AS rt, MATCH_PROCTIME() IS NOT NULL AS p", "A B", "A AS v > 0")
match("A.v AS x", "A B", "A AS A.ts > TIMESTAMP '1970-01-01 00:00:01', B AS B.ts > A.ts")
match("A.v AS x", "A B", "B AS TIMESTAMPDIFF(SECOND, A.ts, B.ts) < 1")
for time in ("MATCH_ROWTIME()", "MATCH_ROWTIME(ts)", "A.ts"):
    show(
        "SELECT window_start, window_end, k, SUM(x) FROM TABLE(TUMBLE(("
        f"{inner(f'A.v AS x, {time} AS rt')}), DESCRIPTOR(rt), INTERVAL '2' SECOND)) GROUP BY k, window_start, window_end",
        streaming,
    )
show(
    f"SELECT k, x, SUM(x) OVER (PARTITION BY k ORDER BY rt) FROM ({inner('A.v AS x, MATCH_ROWTIME() AS rt', 'A AS v > 0')})",
    streaming,
)
match(
    "A.x AS y, A.rt AS art, MATCH_ROWTIME() AS rt2",
    "A",
    "A AS x > 1",
    by="PARTITION BY k ORDER BY rt",
    table=f"({inner('A.v AS x, MATCH_ROWTIME() AS rt', 'A AS v > 0')})",
)
match("MATCH_ROWTIME(v) AS rt", "A B", "A AS v > 0")
streaming.sql_query(
    inner(
        "A.v AS x, MATCH_ROWTIME() AS rt, MATCH_PROCTIME() AS pt, COUNT(*) AS n, SUM(v) AS s, A.s || 'x' AS y, 1 AS z"
    )
).print_schema()
