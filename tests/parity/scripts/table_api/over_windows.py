import datetime

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import DataTypes, EnvironmentSettings, Schema, StreamTableEnvironment
from pyflink.table.expressions import (
    CURRENT_RANGE,
    CURRENT_ROW,
    UNBOUNDED_RANGE,
    UNBOUNDED_ROW,
    col,
    lag,
    lit,
    row_interval,
)
from pyflink.table.window import Over

ROWS = [("a", 1, 1), ("b", 2, 2), ("a", 3, 2), ("a", 4, 2), ("b", 5, 3), ("a", 6, 9), ("a", 9, 12)]
KIND = Types.ROW_NAMED(["k", "v", "t"], [Types.STRING(), Types.INT(), Types.INSTANT()])


def table(settings):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    t_env = StreamTableEnvironment.create(env, settings)
    t_env.get_config().set_local_timezone("UTC")
    values = [(k, v, datetime.datetime(2024, 1, 1, 0, 0, s)) for k, v, s in ROWS]
    kind = DataTypes.ROW(
        [
            DataTypes.FIELD("k", DataTypes.STRING()),
            DataTypes.FIELD("v", DataTypes.INT()),
            DataTypes.FIELD("ts", DataTypes.TIMESTAMP(3)),
        ]
    )
    rows = t_env.from_elements(values, kind)
    stream = t_env.to_data_stream(rows)
    schema = (
        Schema.new_builder()
        .column_by_expression("t", "CAST(ts AS TIMESTAMP(3))")
        .column_by_expression("p", "PROCTIME()")
        .watermark("t", "t - INTERVAL '1' SECOND")
        .build()
    )
    return t_env.from_data_stream(stream, schema)


events = table(EnvironmentSettings.in_streaming_mode())


def show(name, made):
    made.print_schema()
    with made.execute().collect() as rows:
        print(name, *sorted(str(row) for row in rows), sep="\n")


by = Over.partition_by(col("k")).order_by(col("t"))
windows = {
    "unbounded rows": by.preceding(UNBOUNDED_ROW).alias("w"),
    "unbounded range": by.preceding(UNBOUNDED_RANGE).following(CURRENT_RANGE).alias("w"),
    "rows": by.preceding(row_interval(1)).following(CURRENT_ROW).alias("w"),
    "range": by.preceding(lit(1).seconds).alias("w"),
    "by default": by.alias("w"),
    "all": Over.order_by(col("t")).preceding(row_interval(2)).alias("w"),
    "clock": Over.partition_by(col("k")).order_by(col("p")).preceding(row_interval(1)).alias("w"),
}
for name, window in windows.items():
    over = events.over_window(window)
    show(name, over.select(col("k"), col("v").sum.over(col("w")), (col("v").max.over(col("w")) + 1).alias("more")))
show("columns", events.over_window(windows["rows"]).select(col("v").min.over(col("w")), col("t"), col("k")))
show("distinct", events.over_window(windows["rows"]).select(col("v").count.distinct.over(col("w"))))
show("lag", events.over_window(windows["by default"]).select(col("k"), lag(col("v"), 1, lit(0)).over(col("w"))))
try:
    events.over_window(windows["rows"]).select(col("v").sum.over(col("x")))
    print("an unknown window is taken")
except Exception:
    print("an unknown window is refused")
