from pyflink.table import DataTypes, EnvironmentSettings, ScalarFunction, TableEnvironment
from pyflink.table.expressions import call, col
from pyflink.table.udf import udf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


class Plus(ScalarFunction):
    def eval(self, i, j):
        return i + j


class Callable:
    def __call__(self, i):
        return i * 2


@udf(result_type=DataTypes.BIGINT())
def decorated(i):
    return i + 1


@udf(result_type="BIGINT")
def by_text(i):
    return None if i == 2 else i


lambdas = udf(lambda i: i - 1, result_type=DataTypes.BIGINT())
objects = udf(Callable(), result_type=DataTypes.BIGINT())
classes = udf(Plus(), result_type=DataTypes.BIGINT())
typed = udf(lambda i: str(i), [DataTypes.BIGINT()], DataTypes.STRING())
table = env.from_elements([(1, 2), (2, 3)], ["a", "b"])
a, b = col("a"), col("b")
made = table.select(
    decorated(a),
    by_text(a),
    lambdas(a),
    objects(a),
    classes(a, b),
    typed(a),
    classes(decorated(a), 5),
    decorated(a) + b,
)
made.print_schema()
made.execute().print()
env.create_temporary_function("plus_two", classes)
table.select(call("plus_two", a, b).alias("called"), call(decorated, b)).execute().print()
table.where(decorated(a) > 2).execute().print()
