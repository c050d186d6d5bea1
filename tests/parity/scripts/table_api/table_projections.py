from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, range_, with_columns, without_columns

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def refused(make):
    try:
        make().print_schema()
    except Exception:
        print("refused")


table = env.from_elements([(1, "x", 2.5)], ["a", "b", "c"])
refused(lambda: table.select(col("a"), col("b")))
refused(lambda: table.select(col("c"), col("a") + 1))
refused(lambda: table.select(col("a") * 2, col("a") * 3, col("b").upper_case))
refused(lambda: table.alias("x", "y", "z"))
refused(lambda: table.alias("x"))
refused(lambda: table.alias("x", "y", "z", "w"))
refused(lambda: table.add_columns(col("a").alias("d"), col("b").char_length))
refused(lambda: table.add_columns(col("a")))
refused(lambda: table.add_or_replace_columns((col("a") + 1).alias("a"), col("b").alias("e")))
refused(lambda: table.rename_columns(col("a").alias("a2"), col("c").alias("c2")))
refused(lambda: table.rename_columns(col("x").alias("y")))
refused(lambda: table.drop_columns(col("a"), col("c")))
refused(lambda: table.drop_columns(col("x")))
refused(lambda: table.select(with_columns(range_("b", "c")), col("a")))
refused(lambda: table.select(with_columns(range_(1, 2))))
refused(lambda: table.select(without_columns("b")))
refused(lambda: table.select(col("*")))
refused(lambda: table.select(with_columns("a", "c").cast))
