from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT SQRT(a), LN(a), LOG10(a), LOG2(a), EXP(a), POWER(a, 2) FROM (VALUES (4), (1), (100)) AS t(a)")
show("""
    SELECT SQRT(-1), POWER(2, -1), POWER(0, 0), POWER(-8, 0.5), EXP(1000), EXP(-1000), LN(E()), LOG(2, 8), LOG(100)
""")
show("SELECT LN(0)")
show("SELECT LN(-1)")
show("SELECT LOG(1, 5), LOG10(0), LOG2(0)")
show("""
    SELECT POWER(2, 0.5), POWER(CAST(2 AS DECIMAL(3, 1)), 3), SQRT(CAST(2 AS DECIMAL(5, 2))), SQRT(CAST(NULL AS DOUBLE))
""")
show("SELECT TYPEOF(SQRT(2)), TYPEOF(POWER(2, 2)), TYPEOF(LN(2)), TYPEOF(EXP(1)), PI(), E()")
