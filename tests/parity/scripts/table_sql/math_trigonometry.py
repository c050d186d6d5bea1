from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT SIN(a), COS(a), TAN(a), COT(a) FROM (VALUES (CAST(1 AS DOUBLE)), (CAST(-0.5 AS DOUBLE))) AS t(a)")
show("SELECT ASIN(1), ACOS(1), ATAN(1), ATAN2(1, -1), ASIN(2), ACOS(2), ATAN2(0, 0)")
show("SELECT SINH(1), COSH(2), TANH(1), DEGREES(PI()), RADIANS(180), DEGREES(1), RADIANS(CAST(NULL AS DOUBLE))")
show("SELECT SIN(1.5), COS(CAST(1.5 AS FLOAT)), TAN(0), COT(0), SIN(0)")
