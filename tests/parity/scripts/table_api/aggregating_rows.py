from pyflink.common import Row
from pyflink.table import AggregateFunction, DataTypes, EnvironmentSettings, TableAggregateFunction, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udaf, udtaf

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


class CountAndSum(AggregateFunction):
    def create_accumulator(self):
        return Row(0, 0)

    def accumulate(self, accumulator, value):
        accumulator[0] += 1
        accumulator[1] += value

    def get_value(self, accumulator):
        return Row(accumulator[0], accumulator[1])


class Top2(TableAggregateFunction):
    def create_accumulator(self):
        return [None, None]

    def accumulate(self, accumulator, value):
        found = sorted([each for each in (*accumulator, value) if each is not None], reverse=True)
        accumulator[0], accumulator[1] = (*found, None)[:2]

    def emit_value(self, accumulator):
        for value in accumulator:
            if value is not None:
                yield Row(value)


pair = DataTypes.ROW([DataTypes.FIELD("c", DataTypes.BIGINT()), DataTypes.FIELD("s", DataTypes.BIGINT())])
both = udaf(CountAndSum(), result_type=pair, accumulator_type=pair)
one = DataTypes.ROW([DataTypes.FIELD("v", DataTypes.BIGINT())])
top = udtaf(Top2(), result_type=one, accumulator_type=DataTypes.ARRAY(DataTypes.BIGINT()))
table = env.from_elements([("a", 1), ("b", 5), ("a", 4), ("a", 3)], ["k", "n"])
grouped = table.group_by(col("k"))
for made in (
    grouped.aggregate(both(col("n")).alias("c", "s")).select(col("k"), col("c"), col("s")),
    table.aggregate(both(col("n")).alias("x", "y")).select(col("x"), col("y")),
    grouped.flat_aggregate(top(col("n")).alias("w")).select(col("k"), col("w")),
):
    made.print_schema()
    print(made.to_pandas().sort_values(made.get_schema().get_field_names()).to_string(index=False))
grouped.aggregate(both(col("n")).alias("x", "y")).select(col("k"), col("x") + col("y")).print_schema()
table.flat_aggregate(top(col("n")).alias("v")).select(col("v")).print_schema()
