"""FLIP-58, "User-Defined Scalar Function", "Table Function" and "Aggregate Function", with their usage."""

from pyflink.common import Row
from pyflink.table import DataTypes, TableConfig, TableEnvironment
from pyflink.table.udf import AggregateFunction, ScalarFunction, TableFunction, udaf, udf, udtf


@udf(input=DataTypes.STRING, output=DataTypes.STRING)
class TrimFunction(ScalarFunction):
    def eval(self, param):
        def trim(s):
            if len(s) == 0:
                return ""
            if s[:1] == " ":
                return trim(s[1:])
            elif s[-1:] == " ":
                return trim(s[:-1])
            else:
                return s

        return trim(param)


@udtf(input=DataTypes.STRING, output=DataTypes.STRING)
class SplitTableFunction(TableFunction):
    def eval(self, names):
        for name in names.split(" "):
            self.collect(name)


@udaf(input=DataTypes.ANY, output=DataTypes.INT, accumulator=DataTypes.ROW(DataTypes.INT))
class CountAggregateFunction(AggregateFunction):
    def accumulate(self, acc, param):
        if param is not None:
            acc.set_value(acc.get_value(0) + 1)

    def merge(self, acc, other_acc):
        for item in other_acc:
            acc.set_value(0, acc.get_value(0) + item.get_value(0))
        return acc

    def retract(self, acc, param):
        if param is not None:
            acc.set_value(acc.get_value(0) - 1)

    def create_accumulator(self):
        return Row([0])

    def get_value(self, acc):
        return acc.get_value(0)


if __name__ == "__main__":
    t_env = TableEnvironment.create(TableConfig.builder().as_batch_execution().set_parallelism(1).build())
    source = t_env.from_elements([(" hi guys ",), ("hello guys",)], ["a"])

    my_udf = TrimFunction()
    t_env.register_function("trim", my_udf)
    result = source.select("trim(a) as a")
    print([row[0] for row in result.execute().collect()])

    my_udtf = SplitTableFunction()
    t_env.register_function("split", my_udtf)
    counted = (
        result.join_lateral("split(a) as (word)")
        .select("word")
        .group_by("word")
        .select("word, word.count as word_count")
    )
    print(sorted((row[0], row[1]) for row in counted.execute().collect()))

    my_udaf = CountAggregateFunction()
    t_env.register_function("my_count", my_udaf)
    print([row[0] for row in source.select("my_count(a) as n").execute().collect()])
