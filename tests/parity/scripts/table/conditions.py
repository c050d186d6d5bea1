from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    env.execute_sql(f"SELECT {text}").print()


show(
    "1 = 1 AS a, 1 <> 2 AS b, NULL IS NULL AS c, CAST(NULL AS INT) = 1 AS d, 2 BETWEEN 1 AND 3 AS e, "
    "'abc' LIKE '_b%' AS f"
)
show("CAST(NULL AS BOOLEAN) AND FALSE AS a, CAST(NULL AS BOOLEAN) OR TRUE AS b, NOT CAST(NULL AS BOOLEAN) AS c")
show("CASE WHEN 1 > 2 THEN 'a' WHEN 1 = 1 THEN 'b' ELSE 'c' END AS a, CASE 3 WHEN 3 THEN 'x' END AS b")
show(
    "COALESCE(CAST(NULL AS INT), 2) AS a, NULLIF(1, 1) AS b, IF(1 > 0, 'y', 'n') AS c, "
    "IFNULL(CAST(NULL AS STRING), 'z') AS d"
)
show("1 IN (1, 2) AS a, 3 NOT IN (1, 2) AS b, 1 IS DISTINCT FROM 2 AS c, TRUE IS NOT FALSE AS d")
