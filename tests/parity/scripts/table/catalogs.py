from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

print(env.get_current_catalog(), env.get_current_database())
print(env.list_catalogs(), env.list_databases(), env.list_tables(), env.list_views())
env.execute_sql("CREATE DATABASE shop COMMENT 'a shop'")
env.use_database("shop")
print(env.get_current_database(), env.list_databases())
env.execute_sql("SHOW CURRENT DATABASE").print()
env.execute_sql("SHOW CATALOGS").print()
env.execute_sql("SHOW DATABASES").print()
env.execute_sql("USE default_database")
env.execute_sql("DROP DATABASE shop")
print(env.list_databases())
