from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = "(VALUES ('a', 1, TRUE), ('b', 2, FALSE)) AS t(k, n, b)"
EMPTY = f"(SELECT * FROM {ROWS} WHERE n > 5)"
NEVER = f"(SELECT * FROM {ROWS} WHERE FALSE)"
PARTS = [
    "GROUPING SETS ((k), (n), ())",
    "GROUPING SETS ((k), ())",
    "ROLLUP (k)",
    "CUBE (k, n)",
    "()",
    "GROUPING SETS ((k))",
]
env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
for name, rows, parts in (("empty", EMPTY, PARTS), ("never", NEVER, PARTS[:2])):
    for part in parts:
        query = f"SELECT COUNT(*) AS c, MAX(n) AS m FROM {rows} GROUP BY {part}"
        with env.sql_query(query).execute().collect() as found:
            print(name, part, *found)
