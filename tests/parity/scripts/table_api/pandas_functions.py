import pandas as pd
from pyflink.table import DataTypes, EnvironmentSettings, ScalarFunction, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udaf, udf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


@udf(result_type=DataTypes.BIGINT(), func_type="pandas")
def plus(i, j):
    return i + j


class Times(ScalarFunction):
    def eval(self, i, factor):
        return i * factor


times = udf(Times(), result_type=DataTypes.BIGINT(), func_type="pandas")


@udaf(result_type=DataTypes.DOUBLE(), func_type="pandas")
def mean(series):
    return series.mean()


@udf(
    result_type=DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.STRING())]),
    func_type="pandas",
)
def frame(table):
    return pd.concat([table.n + 1, table.w + "!"], axis=1)


table = env.from_elements([(1, "x"), (2, "y"), (3, "x")], ["n", "w"])
n, w = col("n"), col("w")
table.select(plus(n, n), plus(n, times(n, n)), plus(n, 1)).execute().print()
table.group_by(w).select(w, mean(n).alias("m")).order_by(w).execute().print()
table.map(frame).execute().print()
