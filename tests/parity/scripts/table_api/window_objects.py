from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import (
    CURRENT_ROW,
    UNBOUNDED_ROW,
    col,
    lit,
    row_interval,
)
from pyflink.table.window import Over, Session, Slide, Tumble

print(row_interval(2))
w, t = col("w"), col("t")
over = Over.partition_by(w).order_by(t)
for window in (
    over.alias("o"),
    over.preceding(UNBOUNDED_ROW).alias("o"),
    over.preceding(row_interval(2)).following(CURRENT_ROW).alias("o"),
    Over.order_by(t).preceding(lit(5).seconds).alias("o"),
    Tumble.over(lit(10).seconds).on(t).alias("x"),
    Slide.over(lit(10).seconds).every(lit(5).seconds).on(t).alias("x"),
    Session.with_gap(lit(10).seconds).on(t).alias("x"),
):
    print(type(window).__name__)


def refused(make):
    try:
        make()
        print("done")
    except Exception:
        print("refused")


table = TableEnvironment.create(EnvironmentSettings.in_streaming_mode()).from_elements([(1, "a")], ["n", "w"])
refused(lambda: table.window(Tumble.over(lit(10).seconds)))
refused(lambda: table.window(Tumble.over(lit(10).seconds).on(col("n")).alias("x")).group_by(w))
