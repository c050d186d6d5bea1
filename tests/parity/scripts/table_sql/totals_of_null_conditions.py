from pyflink.table import EnvironmentSettings, TableEnvironment

for settings in (EnvironmentSettings.in_streaming_mode(), EnvironmentSettings.in_batch_mode()):
    env = TableEnvironment.create(settings)
    env.get_config().set("parallelism.default", "1")
    env.create_temporary_view("t", env.from_elements([(1, "a"), (2, "b")], ["n", "w"]))
    env.execute_sql("CREATE TEMPORARY VIEW v AS SELECT n, CAST(NULL AS BOOLEAN) AS c, FALSE AS f FROM t")
    for query in (
        "SELECT COUNT(*) FROM v WHERE c",
        "SELECT COUNT(*), SUM(n) FROM v WHERE c",
        "SELECT COUNT(*) FROM v WHERE NOT c",
        "SELECT COUNT(*) FROM v WHERE c AND n > 1",
        "SELECT COUNT(*) FROM v WHERE c = TRUE",
        "SELECT COUNT(*) FROM v WHERE f",
        "SELECT COUNT(*) FROM v WHERE f OR c",
        "SELECT COUNT(*) FROM t WHERE n > CAST(NULL AS INT)",
        "SELECT COUNT(*) FROM t WHERE n = CAST(NULL AS INT) AND w = 'a'",
        "SELECT COUNT(*) FROM t WHERE n <> CAST(NULL AS INT) OR n < CAST(NULL AS INT)",
        "SELECT COUNT(*) FROM (SELECT n, n > CAST(NULL AS INT) AS c FROM t) WHERE c",
        "SELECT COUNT(*) FROM v WHERE c IS NULL",
        "SELECT n FROM v WHERE c",
    ):
        with env.execute_sql(query).collect() as rows:
            print(query, [f"{row.get_row_kind()} {row}" for row in rows])
