from pyflink.table import EnvironmentSettings, TableEnvironment

for settings in (EnvironmentSettings.in_streaming_mode(), EnvironmentSettings.in_batch_mode()):
    env = TableEnvironment.create(settings)
    env.execute_sql(
        """
        CREATE TABLE t (
            k STRING COMMENT 'the key', v INT, p AS PROCTIME(), w AS v + 1, ts TIMESTAMP(3), l TIMESTAMP_LTZ(3),
            WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
        ) WITH ('connector' = 'datagen')
        """
    )
    env.execute_sql("CREATE TABLE plain (a INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'datagen')")
    for statement in (
        "DESCRIBE t",
        "DESC plain",
        "SHOW COLUMNS FROM t",
        "SHOW COLUMNS IN t LIKE 't%'",
        "SHOW COLUMNS FROM t LIKE 'k%'",
        "SHOW COLUMNS FROM t NOT LIKE '%t%'",
        "SHOW COLUMNS FROM t LIKE 'none'",
        "SHOW COLUMNS FROM plain LIKE 'a'",
    ):
        print(statement)
        env.execute_sql(statement).print()
