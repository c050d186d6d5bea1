from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT TYPEOF(a + b), TYPEOF(a + c), TYPEOF(b + d), TYPEOF(a * e), TYPEOF(d / e), TYPEOF(f + d), TYPEOF(a + a), TYPEOF(a / c)
    FROM (VALUES (CAST(1 AS TINYINT), CAST(2 AS SMALLINT), 3, CAST(4 AS BIGINT), CAST(5 AS DOUBLE), CAST(6 AS FLOAT))) AS t(a, b, c, d, e, f)
""")
show("""
    SELECT a + b, a * c, d - c, e / c, f / c, f + e, d * f
    FROM (VALUES (CAST(1 AS TINYINT), CAST(2 AS SMALLINT), 3, CAST(4 AS BIGINT), CAST(5 AS DOUBLE), CAST(6 AS FLOAT))) AS t(a, b, c, d, e, f)
""")
show("SELECT 0.1 + 0.2, CAST(0.1 AS DOUBLE) + 0.2, CAST(0.1 AS FLOAT) + CAST(0.2 AS FLOAT), 1e0, 1.5e300")
show("SELECT 2147483647, -2147483648, 9223372036854775807, -9223372036854775808, 2147483648")
show("""
    SELECT CAST(1e10 AS DOUBLE), CAST(1e7 AS DOUBLE), CAST(1e6 AS DOUBLE), CAST(0.001 AS DOUBLE), CAST(0.0001 AS DOUBLE), CAST(1e10 AS FLOAT)
""")
show("SELECT 1 + CAST(NULL AS INT), CAST(NULL AS DOUBLE) * 2")
