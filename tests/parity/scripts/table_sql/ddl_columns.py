from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TABLE t (id INT NOT NULL COMMENT 'the id', name STRING, price DECIMAL(8, 2), ts TIMESTAMP(3), cents AS price * 100 COMMENT 'computed',
    meta BIGINT METADATA FROM 'offset' VIRTUAL, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED)
    COMMENT 'all of it' WITH ('connector' = 'datagen', 'number-of-rows' = '1')
""")
show("DESCRIBE t")
show("SHOW CREATE TABLE t")
show("SHOW COLUMNS FROM t")
show("SHOW COLUMNS FROM t LIKE '%e%'")
show("SHOW COLUMNS IN t NOT LIKE 'n%'")
show("DESC t")
