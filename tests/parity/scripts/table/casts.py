from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    env.execute_sql(f"SELECT {text}").print()


show(
    "CAST('12' AS INT) AS a, CAST(12 AS STRING) AS b, CAST(1.7 AS INT) AS c, CAST('1.5' AS DOUBLE) AS d, "
    "CAST(TRUE AS STRING) AS e"
)
show(
    "CAST('2024-01-02' AS DATE) AS a, CAST(DATE '2024-01-02' AS STRING) AS b, "
    "CAST('2024-01-02 03:04:05' AS TIMESTAMP(3)) AS c"
)
show(
    "TRY_CAST('x' AS INT) AS a, CAST(1 AS BOOLEAN) AS b, CAST(1.005 AS DECIMAL(5, 2)) AS c, "
    "CAST(CAST(1.5 AS FLOAT) AS STRING) AS d"
)
show("CAST(TIMESTAMP '2024-01-02 03:04:05.678' AS STRING) AS a, CAST(TIMESTAMP '2024-01-02 03:04:05.678' AS DATE) AS b")
