from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE apple (a INT) WITH ('connector' = 'datagen')")
show("CREATE TEMPORARY TABLE avocado (a INT) WITH ('connector' = 'datagen')")
show("CREATE TABLE `with space` (`select` INT, `a``b` INT) WITH ('connector' = 'datagen')")
show("SHOW TABLES")
show("SHOW TABLES LIKE 'a%'")
show("SHOW TABLES NOT LIKE 'a%'")
show("SHOW TABLES LIKE 'appl_'")
show("DESCRIBE `with space`")
show("SHOW CREATE TABLE `with space`")
show("CREATE TABLE IF NOT EXISTS apple (b STRING) WITH ('connector' = 'datagen')")
show("CREATE TABLE apple (b STRING) WITH ('connector' = 'datagen')")
show("CREATE TEMPORARY TABLE apple (b STRING) WITH ('connector' = 'datagen')")
show("DESCRIBE apple")
show("DROP TEMPORARY TABLE apple")
show("DROP TABLE apple, avocado")
show("DROP TABLE avocado")
show("DROP TEMPORARY TABLE avocado")
show("DROP TABLE default_catalog.default_database.apple")
show("SHOW TABLES")
