from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import array, col, if_then_else, lit, map_

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
table = env.from_elements([(1, "a"), (2, "b"), (None, "c")], ["n", "w"])
n, w = col("n"), col("w")
shown = table.select(
    n.in_(1, 5).alias("i"),
    if_then_else(n > 1, w, "small").alias("t"),
    n.between(1, 1).alias("b"),
    n.is_null.alias("z"),
    n.if_null(0).alias("f"),
    array(n, 7).alias("l"),
    map_("k", w).alias("m"),
    (n + lit(1)).cast(DataTypes.STRING()).alias("s"),
)
shown.print_schema()
shown.execute().print()
