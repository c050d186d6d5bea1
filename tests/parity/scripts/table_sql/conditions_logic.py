from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT a, b, a AND b, a OR b, NOT a, a IS TRUE, a IS NOT TRUE, a IS FALSE, a IS UNKNOWN, a IS NOT UNKNOWN
    FROM (VALUES (TRUE, FALSE), (TRUE, CAST(NULL AS BOOLEAN)), (FALSE, CAST(NULL AS BOOLEAN)), (CAST(NULL AS BOOLEAN), CAST(NULL AS BOOLEAN))) AS t(a, b)
""")
show("""
    SELECT a = b, a <> b, a < b, a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b, a BETWEEN 1 AND 2, a NOT BETWEEN 1 AND 2,
    a BETWEEN SYMMETRIC 2 AND 1, a IN (1, 2), a NOT IN (1, 3), a IN (1, NULL)
    FROM (VALUES (1, 1), (1, 2), (3, CAST(NULL AS INT)), (CAST(NULL AS INT), CAST(NULL AS INT))) AS t(a, b)
""")
show("""
    SELECT 'a' < 'b', 'a' < 'B', '' < 'a', 'abc' = 'abc ', CAST('abc' AS CHAR(5)) = 'abc', 'a' = CAST('a' AS VARCHAR(3)), TRUE > FALSE
""")
show("SELECT a FROM (VALUES (1), (2), (CAST(NULL AS INT))) AS t(a) WHERE a <> 1")
show("SELECT a FROM (VALUES (1), (2), (CAST(NULL AS INT))) AS t(a) WHERE NOT (a = 1) OR a IS NULL")
show("SELECT 1 = 1.0, CAST(1 AS DOUBLE) = 1, DATE '2024-01-01' = '2024-01-01'")
show("SELECT 1 WHERE 1 = 2")
show("SELECT NULL IS NULL, NOT CAST(NULL AS BOOLEAN)")
