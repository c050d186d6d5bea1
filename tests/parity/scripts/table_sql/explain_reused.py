"""What equal parts of queries are read once, and what the settings leave apart."""

import os
import re

from pyflink.table import EnvironmentSettings, TableEnvironment

with open("in.csv", "w") as file:
    file.write("a,1,2026-01-01 00:00:01\na,2,2026-01-01 00:00:05\nb,3,2026-01-01 00:00:31\n")
env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql(f"""CREATE TABLE f (k STRING, x INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
    'connector' = 'filesystem', 'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')""")
for name in ("s1", "s2"):
    env.execute_sql(f"CREATE TABLE {name} (k STRING, x INT) WITH ('connector' = 'blackhole')")
SUMS = "SELECT k, SUM(x) AS x FROM f GROUP BY k"
COUNTS = """SELECT k, COUNT(*) AS n, window_start AS s, window_end AS e
    FROM TABLE(HOP(TABLE f, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end"""
QUERIES = {
    "rows": "SELECT k, x FROM f UNION ALL SELECT k, x FROM f",
    "conditions": "SELECT k, x FROM f WHERE x > 1 UNION ALL SELECT k, x FROM f WHERE x > 2",
    "sums": f"{SUMS} UNION ALL {SUMS}",
    "windows": f"{COUNTS} UNION ALL {COUNTS}",
    "parts of parts": f"SELECT k, MAX(x) AS x FROM ({SUMS}) GROUP BY k UNION ALL {SUMS}",
}


def shown(title, text):
    print("--", title)
    for line in text.split("== Optimized Execution Plan ==\n")[1].strip().splitlines():
        found = re.search(r"\w+\(reference_id=.*|\(reuse_id=.*", line)
        print(re.sub(r"(\w+)\(.*", r"\1", line) if "Reused" not in line else line, found[0] if found else "")


for name, query in QUERIES.items():
    shown(name, env.explain_sql(query))
    with env.execute_sql(query).collect() as rows:
        left = {}
        for row in rows:
            found = str(list(row))
            left[found] = left.get(found, 0) + (1 if str(row.get_row_kind()) in ("+I", "+U") else -1)
    print(sorted((row, count) for row, count in left.items() if count))

inserts = env.create_statement_set()
inserts.add_insert_sql(f"INSERT INTO s1 {SUMS}")
inserts.add_insert_sql(f"INSERT INTO s2 {SUMS}")
inserts.add_insert_sql("INSERT INTO s2 SELECT k, x FROM f")
shown("inserts", inserts.explain())

env.get_config().set("table.optimizer.reuse-source-enabled", "false")
shown("no sources", env.explain_sql(QUERIES["sums"]))
env.get_config().set("table.optimizer.reuse-sub-plan-enabled", "false")
shown("nothing", env.explain_sql(QUERIES["sums"]))
