from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT a, ROUND(a), ROUND(a, 1), ROUND(a, -1), TRUNCATE(a, 1), FLOOR(a), CEIL(a)
    FROM (VALUES (2.55), (-2.55), (0.05), (15.00), (CAST(NULL AS DECIMAL(4, 2)))) AS t(a)
""")
show("""
    SELECT a, ROUND(a), ROUND(a, 1), TRUNCATE(a, 1), TRUNCATE(a), FLOOR(a), CEIL(a)
    FROM (VALUES (CAST(2.5 AS DOUBLE)), (CAST(-2.5 AS DOUBLE)), (CAST(0 AS DOUBLE)), (CAST(1e18 AS DOUBLE))) AS t(a)
""")
show("""
    SELECT ROUND(15, -1), ROUND(-15, -1), ROUND(14, -2), TRUNCATE(19, -1), FLOOR(5), CEIL(-5), ROUND(CAST(125 AS BIGINT), -1), ROUND(7, 2)
""")
show("""
    SELECT ROUND(1.2345, 2), ROUND(CAST(1.005 AS DOUBLE), 2), ROUND(CAST(2.675 AS DOUBLE), 2), ROUND(CAST(1.5 AS FLOAT)), TRUNCATE(CAST(1.77 AS FLOAT), 1)
""")
show("""
    SELECT TYPEOF(ROUND(1.25, 1)), TYPEOF(ROUND(1.25)), TYPEOF(ROUND(1, 1)), TYPEOF(FLOOR(1.25)), TYPEOF(CEIL(CAST(1 AS DOUBLE))),
    TYPEOF(TRUNCATE(1.25, 1)), TYPEOF(TRUNCATE(1.25)), TYPEOF(ROUND(CAST(1 AS FLOAT), 1))
""")
