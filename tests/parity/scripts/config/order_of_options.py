from pyflink.common import Configuration
from pyflink.table import DataTypes
from pyflink.table.expressions import CURRENT_RANGE, CURRENT_ROW, UNBOUNDED_RANGE, UNBOUNDED_ROW, col
from pyflink.table.udf import udaf, udf, udtf

KEYS = [
    "b.z",
    "a",
    "z",
    "m",
    "aa",
    "taskmanager.numberOfTaskSlots",
    "pipeline.name",
    "parallelism.default",
    "x",
    "y",
    "käse",
    "😀",
    "execution.runtime-mode",
    "a.b.c",
]
for count in range(len(KEYS) + 1):
    config = Configuration()
    for key in KEYS[:count]:
        config.set_string(key, "1")
    print(config.to_dict(), config)
config.remove_config("z")
config.remove_config("a")
print(config.to_dict(), config)
other = Configuration()
other.set_boolean("m", True)
other.set_integer("n", 3)
other.add_all(config)
print(other.to_dict(), other)

row = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.INT())])
print(row.names, row.field_names(), row.names is row.names)
row.names[0] = "zz"
print(row.names, row.field_names(), row)
row.add("d", DataTypes.INT())
row.add(DataTypes.FIELD("e", DataTypes.STRING()))
print(row.names, row.field_names(), len(row))


def named(a):
    return a


print(UNBOUNDED_ROW, UNBOUNDED_RANGE, CURRENT_ROW, CURRENT_RANGE)
plus = udf(lambda x: x + 1, result_type=DataTypes.INT())
print(plus(col("a")), plus(col("a"), 3), plus(col("a")) + 1, plus(col("a")).alias("q"))
print(udf(named, result_type=DataTypes.INT())(col("a")), udf(named, result_type=DataTypes.INT(), name="my")(col("a")))
print(udf(lambda x: x, result_type=DataTypes.INT(), name="my")(col("a")))
print(udtf(lambda x: [x], result_types=DataTypes.INT())(col("a")))
print(udaf(lambda x: x.max(), result_type=DataTypes.INT(), func_type="pandas")(col("a")))
