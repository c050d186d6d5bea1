from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def refused(make):
    try:
        make().print_schema()
    except Exception:
        print("refused")


table = env.from_elements([("a", 1, 1.5), ("b", 2, 2.5), ("a", 3, None)], ["w", "n", "d"])
w, n, d = col("w"), col("n"), col("d")
table.group_by(w).select(w, n.sum, n.count, d.avg.alias("mean"), d.count.alias("c")).order_by(w).execute().print()
table.group_by(w).select(n.min.alias("low"), n.max.alias("high"), w).order_by(w).execute().print()
table.group_by(w.upper_case.alias("u")).select(col("u"), lit(1).count).order_by(col("u")).execute().print()
table.group_by(w, n % 2).select(w, n.sum).order_by(w).execute().print()
table.group_by(lit(True)).select(n.sum, n.count.distinct, w.count.distinct).execute().print()
table.select(n.sum.alias("s"), n.avg, n.stddev_pop, n.var_samp).execute().print()
table.group_by(w).select((n.sum + 1).alias("s"), n.max - n.min).order_by(col("s")).execute().print()
table.group_by(w).select(w, n.sum, d.sum, n.avg, d.avg).print_schema()
refused(lambda: table.group_by(w).select(n))
refused(lambda: table.group_by(w).select(w, n.sum.sum))
refused(lambda: table.group_by().select(n.sum))
