from collections import Counter

from pyflink.common import RowKind
from pyflink.table import EnvironmentSettings, TableEnvironment


def show(table):
    with table.execute().collect() as rows:
        left = Counter()
        for row in rows:
            left[str(tuple(row))] += 1 if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER) else -1
    print(sorted((row, count) for row, count in left.items() if count))


for settings in (EnvironmentSettings.in_batch_mode(), EnvironmentSettings.in_streaming_mode()):
    env = TableEnvironment.create(settings)
    env.get_config().set("parallelism.default", "1")
    for name, rows in (
        ("a", "(1, 'x'), (1, 'x'), (1, 'x'), (2, 'y'), (CAST(NULL AS INT), 'z'), (CAST(NULL AS INT), 'z')"),
        ("b", "(1, 'x'), (1, 'x'), (3, 'y'), (CAST(NULL AS INT), 'z'), (1, 'x'), (1, 'x')"),
        ("c", "(1, 'x'), (2, 'y')"),
    ):
        env.execute_sql(f"CREATE TEMPORARY VIEW {name} AS SELECT * FROM (VALUES {rows}) AS t (n, s)")
    for query in (
        "SELECT * FROM a INTERSECT ALL SELECT * FROM b",
        "SELECT * FROM a EXCEPT ALL SELECT * FROM b",
        "SELECT * FROM b EXCEPT ALL SELECT * FROM a",
        "SELECT * FROM a EXCEPT ALL SELECT * FROM b EXCEPT ALL SELECT * FROM c",
        "SELECT * FROM a EXCEPT ALL (SELECT * FROM b INTERSECT ALL SELECT * FROM c)",
        "SELECT n, s, COUNT(*) FROM (SELECT * FROM a INTERSECT ALL SELECT * FROM b) AS w GROUP BY n, s",
        "SELECT n FROM a INTERSECT ALL SELECT CAST(n AS BIGINT) FROM b",
    ):
        show(env.sql_query(query))

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
a = env.from_elements([(1, "x"), (1, "x"), (1, "x"), (2, "y")], ["n", "s"])
b = env.from_elements([(1, "x"), (1, "x"), (3, "y")], ["n", "s"])
show(a.intersect_all(b))
show(a.minus_all(b))
a.minus_all(b).print_schema()
