# parity: any order
from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

ROWS = """
    (1, 'a', 7, CAST(2.5 AS DECIMAL(5, 2)), CAST(10000000000 AS BIGINT)), (2, 'a', -70000, 0.25, -3), (3, 'a', 21474, 99.5, 5),
    (4, 'b', 3, 1.5, 2), (5, 'b', 5, 2.5, 0), (6, 'b', CAST(NULL AS INT), CAST(NULL AS DECIMAL(5, 2)), 4),
    (7, 'b', 9, 4.5, CAST(NULL AS BIGINT)), (8, 'c', 1, 1.5, 0)
"""

for settings in (EnvironmentSettings.in_streaming_mode(), EnvironmentSettings.in_batch_mode()):
    env = TableEnvironment.create(settings)
    env.get_config().set("parallelism.default", "1")
    env.execute_sql(f"CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES {ROWS}) AS t (id, k, i, d, n)")
    weighted = env.sql_query(
        """
        SELECT k, PERCENTILE(i, 0.5), PERCENTILE(i, 0.5, n), PERCENTILE(d, ARRAY[0.25, 0.75], n), PERCENTILE(d, 0.1, id)
        FROM t GROUP BY k
        """
    )
    changing = env.sql_query(
        "SELECT PERCENTILE(i, 0.75, n) FROM (SELECT k, MAX(i) AS i, COUNT(*) AS n FROM t GROUP BY k)"
    )
    expressed = env.from_path("t").select(col("i").percentile(0.5, col("id")))
    for table in (weighted, changing, expressed):
        table.print_schema()
        last = {}
        with table.execute().collect() as rows:
            for row in rows:
                if str(row.get_row_kind()) in ("RowKind.INSERT", "RowKind.UPDATE_AFTER"):
                    last[row[0] if len(row) > 1 else ""] = row
        for row in last.values():
            print([str(value) for value in row])
