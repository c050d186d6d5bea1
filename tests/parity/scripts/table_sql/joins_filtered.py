from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
A = "(VALUES (1, 'a'), (2, 'b'), (3, CAST(NULL AS STRING)), (2, 'c')) AS a (n, w)"
B = "(VALUES (2, 'x'), (3, 'y'), (4, 'z'), (2, CAST(NULL AS STRING))) AS b (m, t)"
env.execute_sql(f"CREATE TEMPORARY VIEW a AS SELECT * FROM {A}")
env.execute_sql(f"CREATE TEMPORARY VIEW b AS SELECT * FROM {B}")
SINK = "('connector' = 'filesystem', 'path' = 'out', 'format' = 'csv')"
env.execute_sql(f"CREATE TABLE pairs (w STRING, t STRING) WITH {SINK}")


def show(where, kind="LEFT"):
    """Whether the join only gives new rows, as a table of files needs them."""
    try:
        env.explain_sql(f"INSERT INTO pairs SELECT w, t FROM a {kind} JOIN b ON n = m WHERE {where}")
        print(kind, where, "new rows", flush=True)
    except Exception:
        print(kind, where, "changes", flush=True)


for where in (
    "m > 1",
    "t = 'x'",
    "t <> 'x'",
    "m IS NOT NULL",
    "t IS NULL",
    "m > n",
    "m + 1 > 2",
    "CAST(m AS STRING) = '2'",
    "t LIKE 'x%'",
    "UPPER(t) = 'X'",
    "m BETWEEN 1 AND 3",
    "m IN (2, 3)",
    "m = 2 OR t = 'y'",
    "m = 2 OR n = 1",
    "n = 2 AND m = 2",
    "n = 2",
    "COALESCE(t, 'x') = 'x'",
    "NOT m = 3",
    "(m > 1) IS TRUE",
    "(m > 1) IS NOT FALSE",
    "CASE WHEN m > 1 THEN TRUE ELSE FALSE END",
    "m IS NOT DISTINCT FROM 2",
):
    show(where)
show("n > 1", "RIGHT")
show("m > 1", "RIGHT")
show("n > 1", "FULL")
show("m > 1", "FULL")
show("n > 1 AND m > 1", "FULL")
show("n = m", "FULL")

for query in (
    "SELECT w, t FROM a LEFT JOIN b ON n = m WHERE m > 1",
    "SELECT w, t FROM a FULL JOIN b ON n = m WHERE n > 1",
    "SELECT w, t FROM a LEFT JOIN b ON n = m WHERE m = 2 OR n = 1",
):
    with env.execute_sql(query).collect() as found:
        print(query, flush=True)
        net = {}
        for row in found:
            net[str(row)] = net.get(str(row), 0) + (1 if row.get_row_kind().value in (0, 2) else -1)
        print(sorted(item for item in net.items() if item[1]), flush=True)
