from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT CAST(a AS TINYINT), CAST(a AS SMALLINT), CAST(a AS BIGINT), CAST(a AS FLOAT), CAST(a AS DOUBLE), CAST(a AS DECIMAL(5, 1)), CAST(a AS STRING), CAST(a AS BOOLEAN) FROM (VALUES (1), (-100), (0)) AS t(a)
""")
show("""
    SELECT CAST(a AS INT), CAST(a AS BIGINT), CAST(a AS FLOAT), CAST(a AS DECIMAL(6, 2)), CAST(a AS STRING), CAST(a AS DECIMAL(4, 0)) FROM (VALUES (CAST(1.999 AS DOUBLE)), (CAST(-1.5 AS DOUBLE)), (CAST(1234 AS DOUBLE))) AS t(a)
""")
show("""
    SELECT CAST(a AS INT), CAST(a AS DOUBLE), CAST(a AS STRING), CAST(a AS DECIMAL(3, 1)), CAST(a AS BOOLEAN) FROM (VALUES (1.55), (-0.99), (0.00)) AS t(a)
""")
show("SELECT CAST(CAST(NULL AS INT) AS STRING) AS a, CAST(CAST(0.5 AS DOUBLE) AS BOOLEAN) AS b")
show("""
    SELECT CAST(TRUE AS INT), CAST(FALSE AS DOUBLE), CAST(TRUE AS STRING), CAST(TRUE AS DECIMAL(2, 1)), CAST('true' AS BOOLEAN), CAST('F' AS BOOLEAN), TRY_CAST('maybe' AS BOOLEAN), CAST('1' AS BOOLEAN)
""")
show("SELECT CAST(1 AS DATE)")
show("SELECT CAST(DATE '2024-01-01' AS INT)")
