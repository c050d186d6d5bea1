from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


table = env.from_elements([(1, "a"), (2, "b"), (3, "c")], ["n", "s"])
table.select(col("n") + 1, col("s").upper_case, lit("x").alias("x")).execute().print()
table.where(col("n") > 1).select(col("s")).execute().print()
table.filter((col("n") > 1) & (col("s") != "c")).execute().print()
table.add_columns((col("n") * 2).alias("twice")).execute().print()
table.drop_columns(col("n")).execute().print()
table.rename_columns(col("s").alias("text")).execute().print()
