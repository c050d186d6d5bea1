from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT TYPEOF(a + b), TYPEOF(a - b), TYPEOF(a * b), TYPEOF(a / b), TYPEOF(MOD(a, b)), TYPEOF(a + 1), TYPEOF(a * CAST(1 AS BIGINT))
    FROM (VALUES (CAST(1 AS DECIMAL(10, 2)), CAST(1 AS DECIMAL(5, 4)))) AS t(a, b)
""")
show("""
    SELECT a + b, a - b, a * b, a / b, MOD(a, b), a + 1, a / 3
    FROM (VALUES (CAST(10.25 AS DECIMAL(10, 2)), CAST(3.1415 AS DECIMAL(5, 4))), (CAST(-7 AS DECIMAL(10, 2)), CAST(0.5 AS DECIMAL(5, 4)))) AS t(a, b)
""")
show("""
    SELECT TYPEOF(a + b), TYPEOF(a * b), TYPEOF(a / b), TYPEOF(a - b)
    FROM (VALUES (CAST(1 AS DECIMAL(38, 10)), CAST(1 AS DECIMAL(38, 20)))) AS t(a, b)
""")
show("""
    SELECT a + b, a * b, a / b
    FROM (VALUES (CAST('123456789.123456789' AS DECIMAL(38, 10)), CAST('2.00000000001' AS DECIMAL(38, 20)))) AS t(a, b)
""")
show("""
    SELECT TYPEOF(1.50), TYPEOF(0.001), TYPEOF(100.), TYPEOF(.5), TYPEOF(1.0 + CAST(1 AS DOUBLE)), TYPEOF(-1.5), TYPEOF(00.10)
""")
show("""
    SELECT TYPEOF(CASE WHEN TRUE THEN 1.5 ELSE 10.25 END), TYPEOF(COALESCE(1.5, 100)), TYPEOF(CASE WHEN TRUE THEN 1 ELSE 1.5 END)
""")
show("""
    SELECT TYPEOF(SUM(a)), TYPEOF(AVG(a)), TYPEOF(MIN(a)), TYPEOF(COUNT(a)) FROM (VALUES (CAST(1 AS DECIMAL(10, 2)))) AS t(a)
""")
