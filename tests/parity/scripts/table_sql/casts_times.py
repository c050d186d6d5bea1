from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT CAST(a AS DATE), CAST(a AS TIME), CAST(a AS STRING), CAST(a AS TIMESTAMP(6)) FROM (VALUES (TIMESTAMP '2024-02-29 23:59:59.987'), (TIMESTAMP '2000-01-01 00:00:00.001')) AS t(a)
""")
show("""
    SELECT CAST(DATE '2024-02-29' AS TIMESTAMP), CAST(DATE '2024-02-29' AS STRING), CAST(TIME '01:02:03' AS STRING), CAST(TIME '01:02:03' AS TIMESTAMP(3))
""")
show("""
    SELECT CAST('2024-02-29 23:59:59.9999' AS TIMESTAMP(3)), CAST('2024-02-29' AS TIMESTAMP(3)), CAST('10:20' AS TIME), CAST('2024-1-2' AS DATE), TRY_CAST('2024-02-29T10:00:00' AS TIMESTAMP(3)), TRY_CAST('24:00:00' AS TIME)
""")
show("SELECT CAST(TIMESTAMP '2024-01-01 00:00:00' AS BIGINT)")
show("SELECT CAST(TIMESTAMP '2024-01-01 00:00:00' AS BOOLEAN)")
