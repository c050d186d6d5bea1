from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
OPTIONS = {
    "mongodb": "'uri' = 'mongodb://localhost', 'database' = 'shop', 'collection' = 'users'",
    "faker": "'fields.id.expression' = '1'",
    "dynamodb": "'table-name' = 'users', 'aws.region' = 'eu-west-1'",
    "oracle-cdc": "'hostname' = 'localhost', 'database-name' = 'shop', 'table-name' = 'users'",
    "hbase-2.2": "'table-name' = 'users', 'zookeeper.quorum' = 'localhost:2181'",
    "no-such": "'a' = 'b'",
}
t_env.execute_sql("CREATE TABLE n (id BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
t_env.execute_sql("CREATE TABLE sink (id BIGINT) WITH ('connector' = 'blackhole')")
for name, options in OPTIONS.items():
    t_env.execute_sql(f"CREATE TABLE `{name}` (id BIGINT) WITH ('connector' = '{name}', {options})")
    t_env.execute_sql(f"DESCRIBE `{name}`").print()
    for statement in (
        f"SELECT * FROM `{name}`",
        f"INSERT INTO sink SELECT id + 1 FROM `{name}`",
        f"SELECT COUNT(*) FROM n JOIN `{name}` AS o ON n.id = o.id",
        f"INSERT INTO `{name}` SELECT * FROM n",
        f"INSERT INTO `{name}` VALUES (1)",
    ):
        try:
            t_env.execute_sql(statement)
            print(statement, "runs")
        except Exception as error:
            print(statement, "fails and names the connector:", f"'{name}'" in str(error))
print(t_env.list_tables())
