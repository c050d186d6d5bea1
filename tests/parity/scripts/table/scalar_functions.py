from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import call, col
from pyflink.table.udf import ScalarFunction, udf

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


class Twice(ScalarFunction):
    def eval(self, n):
        return 2 * n


@udf(result_type=DataTypes.STRING())
def shout(text):
    return None if text is None else text + "!"


twice = udf(Twice(), result_type=DataTypes.BIGINT())
plus = udf(lambda a, b: a + b, result_type=DataTypes.BIGINT())
table = env.from_elements(
    [(1, "a"), (2, None)],
    DataTypes.ROW([DataTypes.FIELD("n", DataTypes.BIGINT()), DataTypes.FIELD("s", DataTypes.STRING())]),
)
table.select(twice(col("n")), shout(col("s")), plus(col("n"), col("n"))).execute().print()
env.create_temporary_function("shout", shout)
env.create_temporary_system_function("twice", twice)
env.create_temporary_view("t", table)
env.execute_sql("SELECT shout(s) AS a, twice(n) AS b FROM t WHERE twice(n) > 2").print()
table.select(call("twice", col("n")).alias("x")).execute().print()
