from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment

for settings in (
    EnvironmentSettings.in_streaming_mode(),
    EnvironmentSettings.in_batch_mode(),
    EnvironmentSettings.new_instance().build(),
    EnvironmentSettings.new_instance().in_batch_mode().build(),
    EnvironmentSettings.new_instance().with_built_in_catalog_name("c").with_built_in_database_name("d").build(),
):
    print(settings.is_streaming_mode(), settings.get_built_in_catalog_name(), settings.get_built_in_database_name())
    env = TableEnvironment.create(settings)
    print(env.get_current_catalog(), env.get_current_database(), env.list_catalogs(), env.list_databases())
configuration = Configuration()
configuration.set_string("execution.runtime-mode", "BATCH")
configuration.set_string("my.key", "v")
settings = EnvironmentSettings.new_instance().with_configuration(configuration).build()
print(settings.is_streaming_mode(), settings.get_configuration().get_string("my.key", "none"))
print(TableEnvironment.create(settings).get_config().get("my.key", "none"))
print(TableEnvironment.create(configuration).get_config().get("execution.runtime-mode", "none"))
