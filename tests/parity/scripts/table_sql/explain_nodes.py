import os
import re

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
COLUMNS = "k STRING, x INT, ts TIMESTAMP(3)"
for name, more in (("f", ""), ("e", ", pt AS PROCTIME()")):
    env.execute_sql(f"""CREATE TABLE {name} ({COLUMNS}{more}, WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem',
        'path' = '{os.path.abspath("in.csv")}', 'format' = 'csv')""")
env.execute_sql("""CREATE TEMPORARY VIEW newest AS SELECT k, x, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM f) WHERE r = 1""")
sums = "(SELECT k, SUM(x) AS x FROM f GROUP BY k)"
tumble = "TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
session = "SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' SECOND)"


def first(by, order, of, last, more=""):
    return f"FROM (SELECT *, ROW_NUMBER() OVER ({by} ORDER BY {order}) AS r FROM {of}) WHERE r <= {last}"


QUERIES = {
    "rows": "SELECT k, x FROM f WHERE x > 1",
    "expressions": "SELECT UPPER(k) AS u, x + 1 AS y FROM f WHERE x > 1 AND k <> 'z' OR x IS NULL",
    "aggregate": "SELECT k, COUNT(*) AS n, SUM(x) AS s FROM f GROUP BY k",
    "distinct argument": "SELECT k, COUNT(DISTINCT x) AS n FROM f GROUP BY k",
    "aggregate of all": "SELECT COUNT(*) AS n, MAX(x) AS m FROM f",
    "aggregate of aggregates": "SELECT n, COUNT(*) AS c FROM (SELECT k, COUNT(*) AS n FROM f GROUP BY k) GROUP BY n",
    "having": "SELECT k, SUM(x) AS s FROM f GROUP BY k HAVING SUM(x) > 3",
    "join": "SELECT a.k, a.x, b.x AS y FROM f a JOIN e b ON a.k = b.k AND a.x < b.x",
    "join of changes": f"SELECT a.k, a.x, b.x AS y FROM f a JOIN {sums} b ON a.k = b.k",
    "left join": "SELECT a.k, a.x, b.x AS y FROM f a LEFT JOIN e b ON a.k = b.k",
    "semi join": "SELECT k FROM f WHERE x IN (SELECT x FROM e)",
    "anti join": "SELECT k FROM f a WHERE NOT EXISTS (SELECT 1 FROM e WHERE e.k = a.k)",
    "interval join": "SELECT a.k, b.x FROM f a JOIN e b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '5' SECOND AND b.ts + INTERVAL '60' SECOND",
    "window join": f"SELECT a.k, a.x, b.x AS y FROM (SELECT * FROM {tumble}) a JOIN (SELECT * FROM {tumble}) b ON a.window_start = b.window_start AND a.window_end = b.window_end AND a.k = b.k",
    "session aggregate": f"SELECT k, window_start, window_end, SUM(x) AS s FROM {session} GROUP BY k, window_start, window_end",
    "windows": f"SELECT k, window_start FROM {tumble}",
    "sessions": f"SELECT k, x, window_start FROM {session}",
    "window top": f"SELECT k, x {first('PARTITION BY window_start, window_end', 'x DESC', tumble, 2)}",
    "last of a window": f"SELECT k, x {first('PARTITION BY window_start, window_end, k', 'ts DESC', tumble, 1)}",
    "over": "SELECT k, SUM(x) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW) AS s FROM f",
    "over rows": "SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS c FROM f",
    "union": "SELECT k, x FROM f UNION ALL SELECT k, x FROM e",
    "union of changes": f"SELECT k, x FROM f UNION ALL SELECT k, x FROM {sums}",
    "union of each once": "SELECT k FROM f UNION SELECT k FROM e",
    "some": "SELECT k, x FROM f LIMIT 3",
    "some of changes": f"SELECT k, x FROM {sums} LIMIT 3",
    "elements": "SELECT k, u FROM (SELECT k, ARRAY[x, x + 1] AS xs FROM f) CROSS JOIN UNNEST(xs) AS t (u)",
    "as a value": "SELECT k FROM f WHERE x > (SELECT MAX(x) FROM e)",
}


def plan(text, heading):
    text = text.split(f"== Optimized {heading} Plan ==")[1].split("== ")[0].strip()
    for pattern in (r", (left|right)InputSpec=\[\w+\]", r"\(reuse_id=\[\d\]\)", r", metadata=\[\]"):
        text = re.sub(pattern, "", text)
    return text


# Whose expressions or columns are in another order on Flink, while nodes and kinds of rows are the same.
ONLY_MODES = [
    "aggregate of aggregates",
    "having",
    "join of changes",
    "interval join",
    "window join",
    "session aggregate",
    "window top",
    "last of a window",
    "over",
    "over rows",
    "union of changes",
    "some",
    "elements",
    "as a value",
]
# Where Flink lists UA, which does not come.
ONLY_PLANS = ["left join", "anti join", "union of each once", "some of changes"]

for name, query in QUERIES.items():
    env.execute_sql(f"CREATE TEMPORARY VIEW v AS {query}")
    schema = env.from_path("v").get_schema()
    kinds = [
        ("TIMESTAMP(3)", "TIMESTAMP"),
        ("STRING", "VARCHAR"),
        ("STRING", "STRING"),
        ("BIGINT", "BIGINT"),
        ("INT", "INT"),
    ]
    columns = []
    for column, kind in zip(schema.get_field_names(), schema.get_field_data_types(), strict=True):
        columns.append(f"{column} {next(sql for sql, part in kinds if part in str(kind))}")
    env.execute_sql(f"CREATE TABLE s ({', '.join(columns)}) WITH ('connector' = 'print')")
    with env.execute_sql("EXPLAIN CHANGELOG_MODE INSERT INTO s SELECT * FROM v").collect() as rows:
        text = next(iter(rows))[0]
    print("==", name)
    if name not in ONLY_MODES:
        print(plan(text, "Execution"))
    for line in plan(text, "Physical").splitlines() if name not in ONLY_PLANS else ():
        node = re.match(r"[ :+-]*(\w+)", line)[1]
        if node not in ("Calc", "Exchange"):
            print("*", node, re.search(r"changelogMode=\[([A-Z,]*)\]", line)[1])
    env.execute_sql("DROP TABLE s")
    env.execute_sql("DROP TEMPORARY VIEW v")
