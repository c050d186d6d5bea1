from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


env.get_config().set("table.local-time-zone", "America/New_York")
show("""
    SELECT CAST(TIMESTAMP '2024-03-10 02:30:00' AS TIMESTAMP_LTZ(3)) AS gap, CAST(TIMESTAMP '2024-11-03 01:30:00' AS TIMESTAMP_LTZ(3)) AS twice, TO_TIMESTAMP_LTZ(1710054000000, 3) + INTERVAL '1' HOUR AS later
""")
show("""
    SELECT CAST(DATE '2024-07-01' AS TIMESTAMP_LTZ(0)), CAST(CAST('2024-07-01 12:00:00' AS TIMESTAMP_LTZ(3)) AS STRING), CAST(TO_TIMESTAMP_LTZ(0, 0) AS TIME)
""")
show("""
    SELECT TO_TIMESTAMP_LTZ('2024-07-01 12:00:00'), TO_TIMESTAMP_LTZ('01/07/2024', 'dd/MM/yyyy'), TO_TIMESTAMP_LTZ('2024-07-01 12:00:00', 'yyyy-MM-dd HH:mm:ss', 'Asia/Tokyo')
""")
show("""
    SELECT FROM_UNIXTIME(1710054000), UNIX_TIMESTAMP('2024-07-01 12:00:00'), EXTRACT(EPOCH FROM CAST('2024-07-01 12:00:00' AS TIMESTAMP_LTZ(3)))
""")
