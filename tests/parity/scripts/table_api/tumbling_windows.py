import os
import tempfile

from pyflink.table import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.table.window import Session, Slide, Tumble

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
path = os.path.join(tempfile.mkdtemp(), "rows.csv")
with open(path, "w") as file:
    for key, second, n in (("a", 1, 1), ("b", 4, 2), ("a", 6, 3), ("a", 11, 4), ("b", 21, 5)):
        file.write(f"{key},2020-01-01 00:00:{second:02},{n}\n")
schema = Schema.new_builder().column("k", DataTypes.STRING()).column("t", DataTypes.TIMESTAMP(3))
schema = schema.column("n", DataTypes.INT()).watermark("t", col("t") - lit(1).seconds).build()
descriptor = TableDescriptor.for_connector("filesystem").schema(schema).option("path", path).format("csv")
table = env.from_descriptor(descriptor.build())
w, k, n = col("w"), col("k"), col("n")
tumbled = table.window(Tumble.over(lit(10).seconds).on(col("t")).alias("w")).group_by(w, k)
tumbled.select(k, w.start, w.end, n.sum.alias("s")).print_schema()
tumbled.select(n.sum, w.start, n.count, w.end, w.rowtime, k).print_schema()
tumbled.select(k, w.start.alias("a"), w.end.alias("b"), w.rowtime.alias("r"), n.sum.alias("s")).execute().print()
slid = table.window(Slide.over(lit(10).seconds).every(lit(5).seconds).on(col("t")).alias("w")).group_by(w)
slid.select(w.start.alias("a"), n.count.alias("c")).execute().print()
gaps = table.window(Session.with_gap(lit(4).seconds).on(col("t")).alias("w")).group_by(w, k)
gaps.select(k, w.start.alias("a"), w.end.alias("b"), n.max.alias("m")).execute().print()
