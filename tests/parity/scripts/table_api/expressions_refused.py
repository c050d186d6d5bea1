from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import array, col, lit, map_, with_columns

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
table = env.from_elements([(1, "a")], ["n", "w"])


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


refused(lambda: table.select(col("nothing")))
refused(lambda: table.select(col("n") + col("w")).get_schema())
refused(lambda: table.select(col("n").upper_case))
refused(lambda: table.select(col("w").sum))
refused(lambda: table.select(col("n").alias("w"), col("w")))
refused(lambda: table.select(col("n"), col("n").sum))
refused(lambda: table.where(col("n")))
refused(lambda: table.select(col("n").cast("INT")))
refused(lambda: table.select("n"))
refused(lambda: table.select(array(1, "a")))
refused(lambda: table.select(map_("a")))
refused(lambda: table.select(with_columns("x")))
refused(lambda: table.select(lit(object())))
refused(lambda: table.order_by(col("x")))
refused(lambda: table.group_by(col("x")).select(col("n").sum))
refused(lambda: table.group_by(col("w")).select(col("n")))
refused(lambda: table.select(col("n").no_such_method))
print(col("place").city, col("place").address.street + 1)
