from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("CREATE TABLE t (a INT)")
show("CREATE TABLE t (a INT, PRIMARY KEY (a)) WITH ('connector' = 'datagen')")
show("CREATE TABLE t (a INT, PRIMARY KEY (b) NOT ENFORCED) WITH ('connector' = 'datagen')")
show("CREATE TABLE t (a INT, WATERMARK FOR a AS a) WITH ('connector' = 'datagen')")
show("CREATE TABLE t (a INT, b AS nothing + 1) WITH ('connector' = 'datagen')")
show("CREATE TABLE t (a INT) PARTITIONED BY (b) WITH ('connector' = 'datagen')")
show("CREATE TABLE t (a INT) WITH (connector = 'datagen')")
show("CREATE TABLE t () WITH ('connector' = 'datagen')")
show("CREATE TABLE t a INT")
show("CREATE VIEW v AS SELECT nothing FROM nothing")
show("CREATE VIEW v (a) AS SELECT 1, 2")
show("CREATE FUNCTION f AS 'nothing.nothing' LANGUAGE COBOL")
show("DESCRIBE nothing")
show("SHOW CREATE TABLE nothing")
show("SHOW COLUMNS FROM nothing")
show("SHOW TABLES FROM nothing")
show("SHOW TABLES")
