from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def refused(make):
    try:
        make().execute().print()
    except Exception:
        print("refused")


table = env.from_elements([(3, "c"), (1, "a"), (None, "n"), (2, "b"), (2, "a")], ["n", "w"])
refused(lambda: table.order_by(col("n"), col("w")))
refused(lambda: table.order_by(col("n").desc, col("w")))
refused(lambda: table.order_by(col("n").desc, col("w").asc).fetch(2))
refused(lambda: table.order_by(col("n"), col("w")).offset(1).fetch(2))
refused(lambda: table.order_by(col("n"), col("w")).limit(2, 1))
refused(lambda: table.order_by(col("n"), col("w")).limit(2))
refused(lambda: table.order_by(col("n") % 2, col("w")))
refused(lambda: table.order_by(col("n")).fetch(0))
refused(lambda: table.order_by(col("n")).fetch(-1))
