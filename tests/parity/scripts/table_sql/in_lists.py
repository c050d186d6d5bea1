from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("""
    CREATE TEMPORARY VIEW t AS
    SELECT *, TRY_CAST(dt AS DATE) AS da, TRY_CAST(ts AS TIMESTAMP(3)) AS tm, CAST(s AS CHAR(3)) AS c, i = 1 AS b
    FROM (VALUES
        ('1', 1, CAST(10 AS BIGINT), CAST(1 AS DOUBLE), CAST(1.5 AS DECIMAL(10, 2)), '2024-01-01', '2024-01-01 00:00:00'),
        ('x', 2, CAST(20 AS BIGINT), CAST(2.5 AS DOUBLE), CAST(2 AS DECIMAL(10, 2)), '2024-01-02', '2024-01-02 10:00:00'),
        (' 1 ', 1, CAST(10 AS BIGINT), CAST(1.5 AS DOUBLE), CAST(1 AS DECIMAL(10, 2)), 'x', 'y'),
        (CAST(NULL AS STRING), CAST(NULL AS INT), CAST(NULL AS BIGINT), CAST(NULL AS DOUBLE),
            CAST(NULL AS DECIMAL(10, 2)), CAST(NULL AS STRING), CAST(NULL AS STRING)),
        ('2.0', 3, CAST(30 AS BIGINT), CAST(3 AS DOUBLE), CAST(2 AS DECIMAL(10, 2)), '2024-1-1', '2024-01-01'))
    AS t (s, i, l, d, e, dt, ts)
""")

FINE = [
    *("s IN (1, 2)", "s NOT IN (1, 2)", "s IN (1)", "s NOT IN (1)", "s IN (i)", "s IN (1, i)", "s IN (i, l)"),
    *("s IN (1.0, 2.0)", "s IN (d)", "s IN (TRUE, FALSE)", "c IN ('1', 'x')", "c IN (1, 2)", "'x' IN (1, 2)"),
    *("'1' IN (1, 2)", "CAST(e AS STRING) IN (1.5, 2)", "CAST(e AS STRING) IN (1.50, 2.00)"),
    *("(i, s) IN ((1, '1'), (2, 'x'))", "(i, s) IN ((1, 1), (2, 2))", "(i, s) NOT IN ((1, 1), (2, 2))"),
    *("dt IN (DATE '2024-01-01')", "dt NOT IN (DATE '2024-01-01', DATE '2024-01-02')"),
    *("da IN ('2024-01-01', '2024-01-02')", "da IN ('2024-01-01')", "tm IN ('2024-01-01', '2024-01-02 10:00:00')"),
    "ts IN (TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-01-02 10:00:00.000')",
    *("'10:00:00' IN (TIME '10:00:00', TIME '11:00:00')", "TIME '10:00:00' IN ('10:00:00', '11:00:00')"),
    *("i IN ('1', '2')", "1 IN ('1', '2')", "i IN (3000000000, 1)", "d IN (1, 2)", "d IN (1, 2.5)", "d IN (i, l)"),
    *("d IN (0.1, 1.5)", "e IN (1, 2)", "e IN (1.500, 2)", "e IN (1.499, 2.001)", "e NOT IN (1.499, 2.001)"),
    *("e IN (d, i)", "1.5 IN (1, 2)", "1.5 IN (1, 2, 1.5)", "CAST(1.5 AS DOUBLE) IN (1, 2)", "b IN (TRUE, FALSE)"),
    *("i IN (1, NULL)", "i NOT IN (1, NULL)", "i IN (NULL)", "NULL IN (1, 2)", "1 IN (1, NULL)", "1 NOT IN (2, NULL)"),
    *(
        "s IN ('1', NULL)",
        "s NOT IN ('1', NULL)",
        "CAST(d * 0 + 0.1 AS FLOAT) IN (0.1)",
        "CAST(d * 0 + 0.1 AS FLOAT) = 0.1",
    ),
]
with env.execute_sql(f"SELECT {', '.join(FINE)} FROM t").collect() as rows:
    columns = list(zip(*[list(row) for row in rows], strict=True))
for expression, values in zip(FINE, columns, strict=True):
    print(expression, values)

for number, expression in enumerate((col("i").in_(1, 2), col("s").in_("1", "x"), col("d").in_(1.0, 2.5))):
    with env.from_path("t").select(expression).execute().collect() as rows:
        print("in_", number, [row[0] for row in rows])

for expression in ("s IN ('1', 2)", "i IN (1, '2')", "s = 1", "s <> 1", "CASE s WHEN 1 THEN 2 END", "NULLIF(s, 1)"):
    try:
        env.explain_sql(f"SELECT {expression} FROM t")
        print(expression, "taken")
    except Exception:
        print(expression, "refused")

for expression in ("i IN ('1', 'x')", "i IN (s)", "da IN ('2024-01-01', 'x')", "s < 2", "s BETWEEN 1 AND 2"):
    try:
        with env.execute_sql(f"SELECT {expression} FROM t").collect() as rows:
            print(expression, list(rows))
    except Exception:
        print(expression, "fails")
