from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def refused(make):
    try:
        make().print_schema()
    except Exception:
        print("refused")


left = env.from_elements([(1, "a"), (2, "b"), (3, None)], ["k", "l"])
right = env.from_elements([(1, "x"), (3, "z"), (4, "w")], ["r", "m"])
on = col("k") == col("r")
for joined in (
    left.join(right, on),
    left.join(right).where(on),
    left.left_outer_join(right, on),
    left.right_outer_join(right, on),
    left.full_outer_join(right, on),
    left.join(right, on & (col("m") == "x")),
):
    joined.order_by(col("k"), col("r")).execute().print()
left.left_outer_join(right, on).print_schema()
refused(lambda: left.join(left, col("k") == col("k")))
refused(lambda: left.join(right, col("k") == col("nothing")))
refused(lambda: left.join(right, col("k")))
refused(lambda: left.full_outer_join(right))
refused(lambda: left.join(TableEnvironment.create(EnvironmentSettings.in_batch_mode()).from_elements([(1,)], ["q"])))
