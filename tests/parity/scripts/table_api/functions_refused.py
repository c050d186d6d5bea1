from pyflink.table import DataTypes, EnvironmentSettings, ScalarFunction, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udf, udtaf, udtf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
table = env.from_elements([(1, "a")], ["n", "w"])


def refused(make):
    try:
        make()
        print("done")
    except Exception:
        print("refused")


class Scalar(ScalarFunction):
    def eval(self, i):
        return i


refused(lambda: udf(1, result_type=DataTypes.INT()))
refused(lambda: udf(lambda i: i, result_type=int))
refused(lambda: udf(lambda i: i, input_types=[int], result_type=DataTypes.INT()))
refused(lambda: udf(Scalar, result_type=DataTypes.INT()))
refused(lambda: udf(lambda i: i, result_type=DataTypes.INT(), func_type="nothing"))
refused(lambda: udf(lambda i: i, result_type=DataTypes.INT(), deterministic=False))
refused(lambda: udtf(1, result_types=[DataTypes.INT()]))
refused(lambda: udtf(lambda i: i, result_types=[int]))
refused(lambda: udtaf(Scalar(), result_type=DataTypes.INT(), accumulator_type=DataTypes.INT(), func_type="pandas"))
refused(lambda: env.create_temporary_function("f", lambda i: i))
refused(lambda: env.create_temporary_function("f", 1))
refused(lambda: table.map(1))
refused(lambda: table.flat_map(udf(lambda i: i, result_type=DataTypes.INT())))
refused(lambda: table.select(col("n")("x")))
