import re

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql("CREATE TEMPORARY VIEW v AS SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t (x, k)")
env.execute_sql("CREATE TABLE s (a INT, b STRING) WITH ('connector' = 'print')")

for text in (
    "SELECT x + 1 AS y, y + 1 AS z FROM v",
    "SELECT x + 1 AS y FROM v WHERE y > 1",
    "SELECT x + 1 AS y, COUNT(*) FROM v GROUP BY y",
    "SELECT x + 1 AS y, COUNT(*) FROM v GROUP BY x + 1 HAVING y > 1",
    "INSERT INTO s (a, c) SELECT x, k FROM v",
    "INSERT INTO s (a, a) SELECT x, x FROM v",
    "CREATE TABLE d (a INT, PRIMARY KEY (c) NOT ENFORCED) WITH ('connector' = 'print')",
    "CREATE TABLE d (a INT, b AS z + 1) WITH ('connector' = 'print')",
):
    try:
        env.execute_sql(text)
        print("done", text)
    except Exception as error:
        print(re.search(r"line (\d+), column (\d+)", str(error)).groups(), text)
for text in (
    "SELECT * FROM v WHERE x IN (1, 'a')",
    "SELECT k IN (1, 'a') FROM v",
    "SELECT x NOT IN (1, '2') FROM v",
    "SELECT x IN (1, DATE '2020-01-01') FROM v",
    "INSERT INTO s SELECT x FROM v",
    "INSERT INTO s SELECT k, k FROM v",
    "INSERT INTO nothing SELECT x FROM v",
    "CREATE TABLE d (a INT, b INT, a STRING) WITH ('connector' = 'print')",
    "CREATE TABLE d (a INT) PARTITIONED BY (z) WITH ('connector' = 'print')",
    "CREATE TABLE d (a INT, WATERMARK FOR q AS q) WITH ('connector' = 'print')",
):
    try:
        env.explain_sql(text) if text.startswith(("SELECT", "INSERT")) else env.execute_sql(text)
        print("done", text)
    except Exception:
        print("refused", text)
with env.execute_sql("SELECT x IN ('1', '3') AS a FROM v").collect() as rows:
    print(list(rows))
