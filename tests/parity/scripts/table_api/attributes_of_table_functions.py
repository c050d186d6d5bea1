# parity: any order
from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import (
    AggregateFunction,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    udaf,
    udf,
    udtaf,
    udtf,
)

WORDS = """name names type types key keys value values state states function functions func fields records record
messages topic topics exact output output_type result_type result_types input_types type_info schema operator context
ctx function_context collector buffer cache config options parallelism uid timer timers window windows trigger count
total result results errors error logger log data rows row table stream source sink path files file closed opened
started run stop client connection batch size index id metrics counter queue lock text lines line encoder decoder format
kind mode tag tags inner outer wrapped f fn args kwargs params settings env environment job plan node parent children
next previous last first accumulator accumulators accumulator_type deterministic description takes_row_as_input udf_type
func_type evaluate call java_user_defined_function j_function arity signature columns column alias expression"""
NAMES = WORDS.split()


class Attributes:
    """All names as attributes, each with a value of its own."""

    def __init__(self):
        for i, name in enumerate(NAMES):
            setattr(self, name, i)
            setattr(self, f"_{name}", -i)

    def right(self):
        return str([n for i, n in enumerate(NAMES) if getattr(self, n) != i or getattr(self, f"_{n}") != -i])


class Scalar(Attributes, ScalarFunction):
    def eval(self, n):
        return f"scalar {n} {self.right()}"


class Rows(Attributes, TableFunction):
    def eval(self, n):
        yield f"rows {n} {self.right()}"


class Aggregate(Attributes, AggregateFunction):
    def create_accumulator(self):
        return [0]

    def accumulate(self, accumulator, n):
        accumulator[0] += n

    def get_value(self, accumulator):
        return f"aggregate {accumulator[0]} {self.right()}"


class Tables(Attributes, TableAggregateFunction):
    def create_accumulator(self):
        return [0]

    def accumulate(self, accumulator, n):
        accumulator[0] += n

    def emit_value(self, accumulator):
        yield Row(f"tables {accumulator[0]} {self.right()}")


env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
text = DataTypes.STRING()
table = env.from_elements([(1,), (2,)], DataTypes.ROW([DataTypes.FIELD("n", DataTypes.BIGINT())]))


def show(result):
    with result.execute().collect() as found:
        print(*found, sep="\n")


scalar, rows = udf(Scalar(), result_type=text), udtf(Rows(), result_types=[text])
summed = udaf(Aggregate(), result_type=text, accumulator_type=DataTypes.ARRAY(DataTypes.BIGINT()))
many = udtaf(
    Tables(),
    result_type=DataTypes.ROW([DataTypes.FIELD("a", text)]),
    accumulator_type=DataTypes.ARRAY(DataTypes.BIGINT()),
)
show(table.select(scalar(col("n"))))
show(table.join_lateral(rows(col("n")).alias("a")).select(col("a")))
show(table.group_by(col("n")).select(summed(col("n"))))
show(table.group_by(col("n")).flat_aggregate(many(col("n")).alias("a")).select(col("a")))
for name, function in (("f", scalar), ("g", rows), ("h", summed)):
    env.create_temporary_function(name, function)
env.create_temporary_view("t", table)
show(env.sql_query("SELECT f(n) FROM t"))
show(env.sql_query("SELECT a FROM t, LATERAL TABLE(g(n)) AS r (a)"))
show(env.sql_query("SELECT h(n) FROM t GROUP BY n"))
