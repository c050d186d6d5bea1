from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


table = env.from_elements([("a", 1), ("b", 2), ("a", 3)], ["w", "n"])
table.group_by(col("w")).select(col("w"), col("n").sum.alias("s"), col("n").count).execute().print()
table.select(col("n").max).execute().print()
table.distinct().execute().print()
table.union_all(table).select(col("n")).execute().print()
