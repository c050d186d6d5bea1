from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT TRY_CAST(a AS INT), TRY_CAST(a AS DOUBLE), TRY_CAST(a AS BOOLEAN), TRY_CAST(a AS DATE), TRY_CAST(a AS TIMESTAMP(3)), TRY_CAST(a AS TIME)
    FROM (VALUES ('12'), ('-1.5'), ('1e3'), ('x'), ('2024-01-02'), ('2024-01-02 03:04:05'), ('03:04:05')) AS t(a)
""")
show("""
    SELECT TRY_CAST('+5' AS INT), TRY_CAST('99999999999' AS INT), TRY_CAST('0x10' AS INT), TRY_CAST('1_000' AS INT), TRY_CAST('NaN' AS DOUBLE), TRY_CAST('Infinity' AS DOUBLE), TRY_CAST('1d' AS DOUBLE), TRY_CAST('1.' AS INT)
""")
show("""
    SELECT CAST('abc' AS CHAR(2)), CAST('abc' AS VARCHAR(2)), CAST('a' AS CHAR(3)) || '|', CAST(123 AS VARCHAR(2)), CAST('abc' AS BYTES), CAST(X'616263' AS STRING), CAST('abc' AS BINARY(2)), CAST(X'61' AS BINARY(3))
""")
show("SELECT CAST('x' AS INT)")
show("SELECT CAST('99999999999' AS INT)")
show("SELECT CAST('x' AS DATE)")
