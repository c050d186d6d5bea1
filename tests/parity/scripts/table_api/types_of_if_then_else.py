from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, if_then_else

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
v = env.sql_query(
    "SELECT * FROM (VALUES (TRUE, CAST('2020-01-01 00:00:00.123' AS TIMESTAMP(3)), "
    "CAST('2020-01-01 00:00:00.123456' AS TIMESTAMP(6)), CAST(1.5 AS FLOAT), CAST(2.5 AS DOUBLE))) AS v(b, t3, t6, f, d)"
)
for one, other in (("t3", "t6"), ("t6", "t3"), ("f", "d"), ("d", "f")):
    expression = if_then_else(col("b"), col(one), col(other))
    print(expression)
    v.select(expression.alias("x"), col("b").then(col(other), col(one)).alias("y")).print_schema()
