from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
for zone in ("UTC", "Europe/Berlin", "America/New_York", "GMT+05:30"):
    env.get_config().set_local_timezone(zone)
    env.execute_sql(
        "SELECT TO_TIMESTAMP_LTZ(0, 3) AS epoch, CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING) AS text, "
        "CAST(TIMESTAMP '2020-06-01 12:00:00' AS TIMESTAMP_LTZ(3)) AS summer"
    ).print()
