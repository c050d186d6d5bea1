from decimal import Decimal

from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import lit, null_of

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def refused(make):
    try:
        return make()
    except Exception:
        print("refused")


table = env.from_elements([(1,)], ["n"])
shown = table.select(
    lit(1).alias("a"), lit(3000000000).alias("b"), lit(1.5).alias("c"), lit("it's").alias("d"), lit(True).alias("e")
)
shown.print_schema()
shown.execute().print()
more = table.select(
    lit(2).alias("a"),
    lit(None, DataTypes.INT()).alias("b"),
    null_of(DataTypes.STRING()).alias("c"),
)
more.print_schema()
more.execute().print()
refused(lambda: print(lit(Decimal("1.50"))))
refused(lambda: lit(1, DataTypes.STRING()))
refused(lambda: lit(None, DataTypes.INT().not_null()))
