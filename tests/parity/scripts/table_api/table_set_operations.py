from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def refused(make):
    try:
        make().print_schema()
    except Exception:
        print("refused")


a = env.from_elements([(1, "x"), (1, "x"), (2, "y"), (3, "z")], ["n", "w"])
b = env.from_elements([(1, "x"), (3, "z"), (3, "z"), (4, "q")], ["m", "v"])
for each in (
    a.union(b),
    a.union_all(b),
    a.intersect(b),
    a.minus(b),
    a.distinct(),
):
    each.order_by(col("n")).execute().print()
a.union_all(b).print_schema()
refused(lambda: a.union(b.select(col("m"))))
refused(lambda: a.union(b.select(col("v"), col("m"))))
