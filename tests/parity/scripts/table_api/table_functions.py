from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment, TableFunction
from pyflink.table.expressions import col
from pyflink.table.udf import udtf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


@udtf(result_types=[DataTypes.STRING(), DataTypes.INT()])
def words(line):
    for word in line.split():
        yield word, len(word)


class Repeat(TableFunction):
    def eval(self, n):
        for i in range(n):
            yield Row(i)


@udtf(result_types=DataTypes.BIGINT())
def listed(n):
    return [n, n * 10]


@udtf(result_types=["STRING"])
def nothing(n):
    return []


repeat = udtf(Repeat(), result_types=[DataTypes.INT()])
lines = env.from_elements([("to be", 2), ("x", 0)], ["line", "n"])
lines.join_lateral(words(col("line")).alias("word", "size")).execute().print()
lines.left_outer_join_lateral(repeat(col("n")).alias("i")).select(col("line"), col("i")).execute().print()
lines.join_lateral(listed(col("n")).alias("m")).print_schema()
lines.join_lateral(listed(col("n")).alias("m")).execute().print()
lines.left_outer_join_lateral(nothing(col("n")).alias("q")).execute().print()
env.create_temporary_function("words", words)
env.create_temporary_view("lines_view", lines)
env.sql_query("SELECT word, size FROM lines_view, LATERAL TABLE(words(line)) AS t(word, size)").execute().print()
