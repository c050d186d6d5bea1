from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE t (id INT NOT NULL, name STRING) WITH ('connector' = 'datagen', 'rows-per-second' = '1')")
show("ALTER TABLE t ADD price DOUBLE")
show("ALTER TABLE t ADD (first STRING FIRST, size INT COMMENT 'how large' AFTER id)")
show("DESCRIBE t")
show("ALTER TABLE t RENAME name TO title")
show("ALTER TABLE t MODIFY price DECIMAL(10, 2) COMMENT 'euro'")
show("ALTER TABLE t DROP first")
show("ALTER TABLE t ADD PRIMARY KEY (id) NOT ENFORCED")
show("SHOW CREATE TABLE t")
show("ALTER TABLE t DROP PRIMARY KEY")
show("ALTER TABLE t SET ('rows-per-second' = '5', 'number-of-rows' = '2')")
show("ALTER TABLE t RESET ('number-of-rows')")
show("SHOW CREATE TABLE t")
show("ALTER TABLE t RENAME TO u")
show("SHOW TABLES")
show("ALTER TABLE u DROP nothing")
show("ALTER TABLE u ADD id INT")
show("ALTER TABLE u RENAME nothing TO x")
show("ALTER TABLE IF EXISTS nothing RENAME TO x")
show("ALTER TABLE nothing RENAME TO x")
