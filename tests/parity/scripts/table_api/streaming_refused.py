from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.table.window import Over, Session, Slide, Tumble

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def refused(make):
    try:
        make().execute().wait()
        print("done")
    except Exception:
        print("refused")


table = env.from_elements([(1, "a"), (2, "b")], ["n", "w"])
n, w = col("n"), col("w")
refused(lambda: table.order_by(n))
refused(lambda: table.order_by(n).fetch(1))
refused(lambda: table.window(Tumble.over(lit(1).seconds).on(n).alias("x")).group_by(col("x")).select(n.sum))
refused(lambda: table.window(Tumble.over(lit(1).seconds).on(n).alias("x")).group_by(n).select(n.sum))
refused(lambda: table.window(Tumble.over("1.seconds")))
refused(lambda: table.window(Slide.over(lit(1).seconds).every(lit(1).hours).on(n).alias("x")).group_by(col("x")))
refused(lambda: table.window(Session.with_gap(lit(1)).on(n).alias("x")).group_by(col("x")).select(n.sum))
refused(lambda: table.over_window(Over.partition_by(w).order_by(n).alias("o")).select(n.sum.over(col("o"))))
refused(lambda: table.execute_insert("nothing"))
