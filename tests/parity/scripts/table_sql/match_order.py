import json
import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

PEERS = [
    ("a", 3, 1),
    ("a", 1, 1),
    ("b", 2, 1),
    ("a", 2, 1),
    ("a", None, 1),
    ("a", 5, 3),
    ("b", 1, 1),
    ("a", 4, 2),
    ("b", 9, 0.5),
]
TABLES = {"t": [(k, "x", v, second) for k, v, second in PEERS]}
MESSAGES = ()


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
batch = environment(EnvironmentSettings.in_batch_mode())
for order in ("ts", "ts, v", "ts, v DESC", "ts ASC, v ASC", "ts, s, v"):
    match("A.v AS x, B.v AS y, C.v AS z", "A B C", "A AS TRUE", by=f"PARTITION BY k ORDER BY {order}")
    match("LISTAGG(CAST(v AS STRING)) AS l", "A+? B", "B AS B.v > 3", by=f"ORDER BY {order}")
for order in ("ts, v", "ts, v DESC"):
    match("A.v AS x, B.v AS y, C.v AS z", "A B C", "A AS TRUE", by=f"PARTITION BY k ORDER BY {order}", of=batch)
