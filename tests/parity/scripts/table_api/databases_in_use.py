from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


env.execute_sql("CREATE DATABASE IF NOT EXISTS shop")
env.execute_sql("CREATE TABLE shop.orders (a INT) WITH ('connector' = 'datagen')")
refused(lambda: env.use_database("nothing"))
refused(lambda: env.use_catalog("nothing"))
env.use_database("shop")
print(env.get_current_database(), env.list_tables())
refused(lambda: env.execute_sql("DROP DATABASE shop RESTRICT"))
env.use_database("default_database")
refused(lambda: env.execute_sql("DROP DATABASE shop"))
print(env.execute_sql("DROP DATABASE shop CASCADE").get_result_kind())
print(env.list_databases())
