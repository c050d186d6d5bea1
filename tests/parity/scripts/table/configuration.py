from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

config = env.get_config()
config.set("table.exec.mini-batch.size", "100")
print(config.get("table.exec.mini-batch.size", "none"), config.get("nothing", "none"))
config.set_local_timezone("Europe/Berlin")
print(config.get_local_timezone())
print(config.get_sql_dialect())
settings = EnvironmentSettings.new_instance().in_batch_mode().build()
print(settings.is_streaming_mode(), settings.get_built_in_catalog_name(), settings.get_built_in_database_name())
