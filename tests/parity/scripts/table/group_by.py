from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")

env.execute_sql("""
    SELECT word, COUNT(*) AS n, SUM(amount) AS total
    FROM (VALUES ('a', 1), ('b', 2), ('a', 3), ('a', 3)) AS t(word, amount)
    GROUP BY word
""").print()
