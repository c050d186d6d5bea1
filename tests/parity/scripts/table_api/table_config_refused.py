from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
config = env.get_config()


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


refused(lambda: config.set_local_timezone(None))
refused(lambda: config.set_local_timezone("Nowhere/Land"))
refused(lambda: config.set_max_generated_code_length("5"))
refused(lambda: config.set_local_timezone("GMT+08:00"))
print(config.get_local_timezone())
config.set("table.local-time-zone", "Asia/Tokyo")
print(config.get_local_timezone())
refused(lambda: config.set("a", None))
refused(lambda: config.get("a"))
refused(lambda: config.get("b", None))
