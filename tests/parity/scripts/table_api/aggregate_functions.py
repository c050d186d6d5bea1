from pyflink.common import Row
from pyflink.table import AggregateFunction, DataTypes, EnvironmentSettings, ListView, MapView, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udaf

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


class Mean(AggregateFunction):
    def create_accumulator(self):
        return Row(0, 0)

    def accumulate(self, accumulator, value):
        if value is not None:
            accumulator[0] += value
            accumulator[1] += 1

    def get_value(self, accumulator):
        return accumulator[0] / accumulator[1] if accumulator[1] else None

    def get_result_type(self):
        return DataTypes.DOUBLE()

    def get_accumulator_type(self):
        return DataTypes.ROW([DataTypes.FIELD("s", DataTypes.BIGINT()), DataTypes.FIELD("c", DataTypes.BIGINT())])


class Joined(AggregateFunction):
    def create_accumulator(self):
        return Row(ListView(), MapView())

    def accumulate(self, accumulator, word):
        accumulator[0].add(word)
        accumulator[1][word] = accumulator[1][word] + 1 if word in accumulator[1] else 1

    def get_value(self, accumulator):
        counts = ",".join(f"{word}{count}" for word, count in sorted(accumulator[1].items()))
        return "".join(accumulator[0]) + " " + counts

    def get_result_type(self):
        return DataTypes.STRING()

    def get_accumulator_type(self):
        views = DataTypes.LIST_VIEW(DataTypes.STRING()), DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.BIGINT())
        return DataTypes.ROW([DataTypes.FIELD("l", views[0]), DataTypes.FIELD("m", views[1])])


mean, joined = udaf(Mean()), udaf(Joined())
table = env.from_elements([("a", 1, "x"), ("b", 5, "y"), ("a", None, "x"), ("a", 4, "z")], ["k", "n", "w"])
grouped = table.group_by(col("k")).select(col("k"), mean(col("n")).alias("m"), joined(col("w")).alias("j"))
grouped.print_schema()
print(grouped.to_pandas().sort_values("k").to_string(index=False))
env.create_temporary_function("mean", mean)
env.create_temporary_view("t", table)
print(env.sql_query("SELECT mean(n) AS m FROM t").to_pandas().to_string(index=False))
