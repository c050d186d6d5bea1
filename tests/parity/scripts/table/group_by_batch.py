from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")

env.execute_sql("""
    SELECT word, COUNT(*) AS n, SUM(amount) AS total, MIN(amount) AS lo, MAX(amount) AS hi, AVG(amount) AS mean
    FROM (VALUES ('a', 1), ('b', 2), ('a', 3), ('a', 4)) AS t(word, amount)
    GROUP BY word ORDER BY word
""").print()
env.execute_sql("SELECT COUNT(*) AS n, SUM(x) AS s FROM (VALUES (1), (2)) AS t(x) WHERE x > 5").print()
env.execute_sql(
    "SELECT COUNT(DISTINCT x) AS n, COUNT(x) FILTER (WHERE x > 1) AS m FROM (VALUES (1), (2), (2)) AS t(x)"
).print()
