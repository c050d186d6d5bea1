# parity: any order
import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "Asia/Tokyo")

EDGES = {
    "STRING": ["'a'", "''", "'😀'", "'x,y'", "'say \"x\"'", "'null'", "'a=b'"],
    "CHAR(3)": ["CAST('a' AS CHAR(3))", "CAST('abc' AS CHAR(3))"],
    "BOOLEAN": ["TRUE", "FALSE"],
    "TINYINT": ["CAST(-128 AS TINYINT)", "CAST(127 AS TINYINT)"],
    "INT": ["-2147483648", "0", "2147483647"],
    "BIGINT": ["-9223372036854775808", "9223372036854775807"],
    "FLOAT": ["CAST(1.5 AS FLOAT)", "CAST(1e10 AS FLOAT)"],
    "DOUBLE": ["0.1e0", "1e10", "-0.0e0"],
    "DECIMAL(5, 2)": ["CAST(1.5 AS DECIMAL(5, 2))", "CAST(-999.99 AS DECIMAL(5, 2))"],
    "DATE": ["DATE '2024-02-29'", "DATE '1969-12-31'"],
    "TIME": ["TIME '12:00:00'", "TIME '00:00:00'"],
    "TIMESTAMP(3)": ["TIMESTAMP '2024-02-29 12:00:00'", "TIMESTAMP '2024-02-29 12:00:00.5'"],
    "TIMESTAMP_LTZ(3)": ["CAST(TIMESTAMP '2024-02-29 12:00:00' AS TIMESTAMP_LTZ(3))"],
    "ARRAY<INT>": ["ARRAY[1, 2]", "ARRAY[3]"],
    "ROW<x INT, y STRING>": ["ROW(1, 'a')", "ROW(2, 'b,c')"],
}
SINKS = {"print": "'connector'='print', 'print-identifier'='{kind}'"}
SINKS["json"] = "'connector'='filesystem', 'path'='{path}', 'format'='json'"
SINKS["csv"] = "'connector'='filesystem', 'path'='{path}', 'format'='csv'"
for n, (kind, values) in enumerate(EDGES.items()):
    rows = " UNION ALL ".join(
        f"SELECT {i} AS i, CAST({value} AS {kind}) AS v, {times} AS t"
        for i, value in enumerate(values)
        for times in (1, 2)
    )
    for sink, options in SINKS.items():
        name = f"out_{sink}_{n}"
        options = options.format(kind=kind, path=os.path.abspath(name))
        try:
            env.execute_sql(f"CREATE TEMPORARY TABLE {name} (i INT, m MULTISET<{kind}>) WITH ({options})")
            env.execute_sql(f"INSERT INTO {name} SELECT i, COLLECT(v) FROM ({rows}) GROUP BY i").wait()
        except Exception:
            print(sink, kind, "fails")
    if kind.startswith(("DATE", "TIME", "ROW")):
        continue  # collect() of such multisets fails in PyFlink
    with env.sql_query(f"SELECT i, COLLECT(v) AS m FROM ({rows}) GROUP BY i").execute().collect() as found:
        print(kind, *sorted(str(row) for row in found))
