from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


env.get_config().set("table.local-time-zone", "Asia/Tokyo")
show("""
    SELECT CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING), TO_TIMESTAMP_LTZ(0, 3), TO_TIMESTAMP_LTZ(1700000000, 0), CAST(TO_TIMESTAMP_LTZ(0, 3) AS TIMESTAMP(3)), CAST(TO_TIMESTAMP_LTZ(0, 3) AS DATE)
""")
show("""
    SELECT FROM_UNIXTIME(0), FROM_UNIXTIME(0, 'yyyy-MM-dd'), UNIX_TIMESTAMP('1970-01-01 09:00:00'), UNIX_TIMESTAMP('1970/01/02', 'yyyy/MM/dd'), UNIX_TIMESTAMP('bad')
""")
show("""
    SELECT CONVERT_TZ('1970-01-01 00:00:00', 'UTC', 'America/Los_Angeles'), CONVERT_TZ('bad', 'UTC', 'UTC'), CONVERT_TZ('2024-07-01 12:00:00', 'Europe/Paris', 'GMT-08:00')
""")
show("""
    SELECT CAST(TIMESTAMP '2024-01-01 00:00:00' AS TIMESTAMP_LTZ(3)) = TO_TIMESTAMP_LTZ(1704034800000, 3), HOUR(TO_TIMESTAMP_LTZ(0, 3)), FLOOR(TO_TIMESTAMP_LTZ(0, 3) TO DAY), DATE_FORMAT(TO_TIMESTAMP_LTZ(0, 3), 'HH:mm')
""")
show("""
    SELECT TYPEOF(TO_TIMESTAMP_LTZ(0, 3)), TYPEOF(CURRENT_TIMESTAMP), TYPEOF(LOCALTIMESTAMP), TYPEOF(CURRENT_DATE), TYPEOF(CURRENT_TIME), TYPEOF(NOW()), TYPEOF(UNIX_TIMESTAMP())
""")
