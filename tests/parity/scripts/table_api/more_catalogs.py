from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.catalog import CatalogDescriptor

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


env.execute_sql("CREATE CATALOG mine WITH ('type' = 'generic_in_memory', 'default-database' = 'home')")
configuration = Configuration()
configuration.set_string("type", "generic_in_memory")
env.create_catalog("other", CatalogDescriptor.of("other", configuration, "a comment"))
print(sorted(env.list_catalogs()))
refused(lambda: env.execute_sql("CREATE CATALOG mine WITH ('type' = 'generic_in_memory')"))
refused(lambda: env.execute_sql("CREATE CATALOG bad WITH ('type' = 'no such type')"))
refused(lambda: env.create_catalog("other", CatalogDescriptor.of("other", configuration)))
env.use_catalog("mine")
print(env.get_current_catalog(), env.get_current_database(), env.list_databases(), env.list_tables())
env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')")
env.use_catalog("other")
print(env.get_current_database(), env.list_tables())
print(env.from_path("mine.home.t").get_schema().get_field_names())
refused(lambda: env.get_catalog("mine").get_default_database())
refused(lambda: env.get_catalog("nothing"))
refused(lambda: env.execute_sql("DROP CATALOG other"))
env.execute_sql("DROP CATALOG mine")
print(sorted(env.list_catalogs()))
