# parity: any order
import json

from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = {
    "a": [(1, 10, "x"), (2, 20, "y"), (3, None, "z"), (None, 40, "x"), (5, 50, None), (1, 11, "y")],
    "b": [(1, 7, "x"), (1, 12, "q"), (3, 30, "z"), (None, 40, "x"), (5, None, None), (6, 60, "y")],
    "c": [(1, 1, "x"), (3, 3, "z"), (6, 6, None), (None, 0, "y")],
}
for name, rows in ROWS.items():
    with open(f"{name}.json", "w") as file:
        for k, v, s in rows:
            file.write(json.dumps({"k": k, "v": v, "s": s}) + "\n")

QUERIES = [
    "SELECT a.k, a.v, b.v FROM a, b WHERE a.k = b.k",
    "SELECT a.k, a.v, b.v FROM a, b WHERE a.k = b.k AND a.v BETWEEN b.v AND b.v + 5",
    "SELECT a.k, a.v, b.v FROM a, b WHERE a.k = b.k AND a.v > 10 AND b.v > 7",
    "SELECT a.k, b.k FROM a, b WHERE a.v > b.v AND a.s = b.s OR a.k = b.k AND b.v > 10",
    "SELECT a.k, b.v, c.v FROM a, b, c WHERE a.k = b.k AND b.k = c.k",
    "SELECT a.k, b.v, c.v FROM a, b, c WHERE a.k = c.k AND b.s = c.s AND a.v < 50",
    "SELECT a.k, b.v, c.v FROM a CROSS JOIN b JOIN c ON a.k = c.k WHERE b.k = a.k",
    "SELECT a.k, b.v FROM a, b WHERE a.k IS NOT DISTINCT FROM b.k",
    "SELECT a.k, b.v FROM a, b WHERE a.k + 1 = b.k - 1",
    "SELECT a.k, b.v FROM a, b WHERE a.k = b.k AND 1 = 0",
    "SELECT a.k, b.v FROM a, b WHERE a.k = b.k AND b.s IS NULL",
    "SELECT a.k, b.v FROM a LEFT JOIN b ON a.k = b.k AND b.v > 10",
    "SELECT a.k, b.v FROM a LEFT JOIN b ON a.k = b.k AND a.v > 10",
    "SELECT a.k, b.v FROM a RIGHT JOIN b ON a.k = b.k AND a.v > 10",
    "SELECT a.k, b.v FROM a RIGHT JOIN b ON a.k = b.k AND b.v > 10",
    "SELECT a.k, b.v FROM a FULL JOIN b ON a.k = b.k AND b.v > 10 AND a.v > 10",
    "SELECT a.k, b.v FROM a JOIN b ON a.k = b.k AND b.v > 10 AND a.v > 10",
    "SELECT a.k, b.v FROM a JOIN b ON a.k = b.k AND b.v > 10 WHERE a.v > b.v",
    "SELECT a.k, b.v FROM a LEFT JOIN b ON a.k = b.k AND a.s = b.s WHERE b.v > 10 OR b.v IS NULL",
    "SELECT a.k, b.v FROM a LEFT JOIN b ON a.k = b.k WHERE a.v > b.v",
    "SELECT a.k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND b.v > 10 AND a.v < 50)",
    "SELECT a.k FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND b.v > 10 AND a.v < 50)",
    "SELECT k, MAX(w) FROM (SELECT a.k, b.v AS w FROM a, b WHERE a.k = b.k AND a.v > b.v) GROUP BY k",
    "SELECT x.k, x.n, b.v FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) x, b WHERE x.k = b.k AND x.n > 1",
    "SELECT x.n, COUNT(*) FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) x, b WHERE x.k = b.k AND x.n < b.v GROUP BY x.n",
]

for mode in (EnvironmentSettings.in_streaming_mode(), EnvironmentSettings.in_batch_mode()):
    env = TableEnvironment.create(mode)
    env.get_config().set("parallelism.default", "1")
    for name in ROWS:
        env.execute_sql(
            f"CREATE TABLE {name} (k INT, v INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{name}.json', 'format' = 'json')"
        )
    for query in QUERIES:
        changes = {}
        with env.execute_sql(query).collect() as rows:
            for row in rows:
                changes[repr(list(row))] = changes.get(repr(list(row)), 0) + (
                    1 if str(row.get_row_kind()) in ("+I", "+U") else -1
                )
        print(query)
        for row in sorted(changes):
            if changes[row]:
                print("   ", row, changes[row])
