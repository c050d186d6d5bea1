from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT ABS(a), SIGN(a), -a, +a, MOD(a, 3), a % 3 FROM (VALUES (7), (-7), (0), (CAST(NULL AS INT))) AS t(a)")
show("SELECT ABS(a), SIGN(a), -a, MOD(a, 2) FROM (VALUES (7.5), (-7.5), (0.0)) AS t(a)")
show("""
    SELECT ABS(CAST(-1.5 AS DOUBLE)), SIGN(CAST(-1.5 AS DOUBLE)), SIGN(CAST(-2 AS FLOAT)), ABS(CAST(-3 AS TINYINT)), SIGN(CAST(-3 AS BIGINT))
""")
show("SELECT 7 / 2, -7 / 2, 7 / 2.0, CAST(7 AS DOUBLE) / 2, MOD(-7, 2), MOD(7, -2), 7.5 / 2, 1 / 3.0")
show("SELECT 1 / 0")
show("SELECT MOD(5, 0)")
show("""
    SELECT a / b, a / c FROM (VALUES (CAST(1 AS DOUBLE), 2, CAST(4 AS DOUBLE)), (CAST(-1 AS DOUBLE), 1, CAST(0.5 AS DOUBLE))) AS t(a, b, c)
""")
show("SELECT 1.0 / 0")
show("""
    SELECT TYPEOF(MOD(7, 2)), TYPEOF(MOD(CAST(7 AS BIGINT), 2)), TYPEOF(MOD(7.5, 2)), TYPEOF(SIGN(7.5)), TYPEOF(ABS(1.5)), TYPEOF(-CAST(1 AS TINYINT))
""")
