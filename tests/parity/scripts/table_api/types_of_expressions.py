from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, concat, if_then_else, lit, row

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
rows = "(VALUES ('ab', CAST('cd' AS VARCHAR(5)), 3, CAST(1.5 AS FLOAT), CAST(2.5 AS DOUBLE))) AS t (c, v, i, f, d)"
table = env.sql_query(f"SELECT * FROM {rows}")
made = table.select(
    (col("c") + col("v")).alias("a"),
    (col("v") + "xyz").alias("b"),
    (col("v") + 1).alias("c"),
    concat(col("c"), col("v")).alias("d"),
    (col("f") + col("d")).alias("e"),
    row(col("i"), "x").alias("g"),
    lit(1).day.alias("h"),
    (lit(1).hours + lit(2).minutes).alias("k"),
    lit("").alias("l"),
    col("c").upper_case.alias("m"),
    if_then_else(col("i") > 1, col("c"), col("v")).alias("n"),
)
made.print_schema()
made.execute().print()
