from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SHOW CATALOGS")
show("CREATE CATALOG c WITH ('type' = 'generic_in_memory')")
show("SHOW CATALOGS")
show("SHOW CATALOGS LIKE 'c%'")
show("DESCRIBE CATALOG c")
show("SHOW CREATE CATALOG c")
show("USE CATALOG c")
show("SHOW CURRENT CATALOG")
show("SHOW CURRENT DATABASE")
show("CREATE DATABASE d COMMENT 'a comment' WITH ('k' = 'v')")
show("SHOW DATABASES")
show("SHOW DATABASES LIKE 'd'")
show("USE d")
show("SHOW CURRENT DATABASE")
show("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')")
show("SHOW TABLES FROM c.d")
show("DROP DATABASE d")
show("DROP DATABASE d CASCADE")
show("USE CATALOG default_catalog")
show("DROP CATALOG c")
show("SHOW CATALOGS")
show("USE CATALOG nothing")
show("USE nothing")
show("DROP CATALOG nothing")
show("DROP CATALOG IF EXISTS nothing")
show("CREATE DATABASE default_database")
show("CREATE DATABASE IF NOT EXISTS default_database")
