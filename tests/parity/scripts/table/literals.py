from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

env.execute_sql("SELECT 1 AS a, 'x' AS b, TRUE AS c, CAST(NULL AS INT) AS d, 1.5 AS e, 1e3 AS f").print()
env.execute_sql(
    "SELECT DATE '2024-02-29' AS d, TIME '12:34:56' AS t, TIMESTAMP '2024-02-29 12:34:56.789' AS ts"
).print()
env.execute_sql("SELECT INTERVAL '1' DAY AS i, INTERVAL '2-3' YEAR TO MONTH AS j").print()
env.execute_sql("SELECT ARRAY[1, 2, 3] AS a, MAP['k', 1] AS m, ROW(1, 'x') AS r").print()
