from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")

env.execute_sql(
    "SELECT n FROM (VALUES (1), (2), (2)) AS t(n) UNION ALL SELECT n FROM (VALUES (2), (3)) AS u(n)"
).print()
env.execute_sql("SELECT DISTINCT n FROM (VALUES (1), (2), (2)) AS t(n) ORDER BY n").print()
env.execute_sql(
    "WITH big AS (SELECT n FROM (VALUES (1), (5), (9)) AS t(n) WHERE n > 3) SELECT n * 10 AS m FROM big ORDER BY m"
).print()
env.execute_sql(
    "SELECT w, COUNT(*) AS c FROM (VALUES ('a'), ('b'), ('a')) AS t(w) GROUP BY w HAVING COUNT(*) > 1"
).print()
