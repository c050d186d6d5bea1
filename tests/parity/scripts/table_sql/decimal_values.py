from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT SUM(a), AVG(a), MIN(a), MAX(a) FROM (VALUES (1.10), (2.25), (-0.35), (CAST(NULL AS DECIMAL(3, 2)))) AS t(a)
""")
show("SELECT SUM(a), AVG(a) FROM (VALUES (CAST('12345678901234567890.12' AS DECIMAL(22, 2))), (0.01)) AS t(a)")
show("""
    SELECT CAST(12.345 AS DECIMAL(4, 2)), CAST(12.355 AS DECIMAL(4, 2)), CAST(-12.345 AS DECIMAL(4, 2)), CAST('12.345' AS DECIMAL(10, 1))
""")
show("SELECT CAST(123.4 AS DECIMAL(3, 1)) AS a")
show("SELECT TRY_CAST(123.4 AS DECIMAL(3, 2)) AS a")
show("""
    SELECT 1.10 = 1.1, 1.10 > 1.09, CAST(1.10 AS DECIMAL(5, 3)) = 1.1, 1.5 IN (1.50, 2), 0.0 = 0, 1.5 BETWEEN 1 AND 2
""")
show("""
    SELECT CAST(1.50 AS STRING), CAST(100 AS DECIMAL(5, 0)), CAST(0.00000001 AS STRING), CAST(1e3 AS DECIMAL(10, 2)), CAST(CAST(1.5 AS DECIMAL(10, 5)) AS STRING)
""")
show("SELECT 1.10 AS a UNION ALL SELECT 22.123 UNION ALL SELECT 3")
