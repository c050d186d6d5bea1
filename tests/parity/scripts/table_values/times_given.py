import datetime as dt

from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udf, udtf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "UTC")

FINE, FINER = dt.datetime(2021, 8, 21, 13, 0, 0, 123456), dt.datetime(2021, 8, 21, 13, 0, 0, 123789)
TYPES = [
    (DataTypes.TIMESTAMP(0), FINE, FINER),
    (DataTypes.TIMESTAMP(1), FINE, FINER),
    (DataTypes.TIMESTAMP(3), FINE, FINER),
    (DataTypes.TIMESTAMP_LTZ(0), FINE, FINER),
    (DataTypes.TIMESTAMP_LTZ(3), FINE, FINER),
    (DataTypes.TIME(0), FINE.time(), FINER.time()),
    (DataTypes.TIME(1), FINE.time(), FINER.time()),
    (DataTypes.TIME(3), FINE.time(), FINER.time()),
]

row = DataTypes.ROW([DataTypes.FIELD(f"a{i}", kind) for i, (kind, _, _) in enumerate(TYPES)])
given = env.from_elements([tuple(each[1] for each in TYPES), tuple(each[2] for each in TYPES)], row)
given.execute().print()
given.select(*[col(name).cast(DataTypes.STRING()).alias(name) for name in row.names]).execute().print()
given.group_by(col("a2")).select(col("a2"), col("a2").count.alias("n")).execute().print()
given.group_by(col("a0")).select(col("a0"), col("a0").count.alias("n")).execute().print()

numbers = env.from_elements([(0,)], ["x"])
functions = [udf(lambda x, value=value: value, result_type=kind) for kind, value, _ in TYPES]
made = numbers.select(*[f(col("x")).alias(f"a{i}") for i, f in enumerate(functions)])
made.execute().print()
made.select(*[col(f"a{i}").cast(DataTypes.STRING()).alias(f"a{i}") for i in range(len(TYPES))]).execute().print()

split = udtf(
    lambda x: [(FINE, FINE.time()), (FINER, FINER.time())], result_types=[DataTypes.TIMESTAMP(3), DataTypes.TIME(0)]
)
rows = numbers.join_lateral(split(col("x")).alias("a", "b")).select(col("a"), col("b"))
rows.execute().print()
rows.group_by(col("a")).select(col("a"), col("a").count.alias("n")).execute().print()

nested = DataTypes.ARRAY(DataTypes.TIMESTAMP(3))
several = udf(lambda x: [FINE, FINER], result_type=nested)
numbers.select(several(col("x")).cast(DataTypes.STRING()).alias("a")).execute().print()
