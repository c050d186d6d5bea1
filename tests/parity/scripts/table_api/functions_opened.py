from pyflink.table import DataTypes, EnvironmentSettings, ScalarFunction, TableEnvironment, TableFunction
from pyflink.table.expressions import col
from pyflink.table.udf import FunctionContext, udf, udtf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("my.factor", "7")


class Scaled(ScalarFunction):
    def open(self, function_context: FunctionContext):
        self.factor = int(function_context.get_job_parameter("my.factor", "3"))
        self.other = function_context.get_job_parameter("my.other", "none")
        self.counter = function_context.get_metric_group().counter("calls")

    def eval(self, i):
        self.counter.inc()
        return f"{i * self.factor} {self.other}"


class Random(ScalarFunction):
    def is_deterministic(self):
        return False

    def eval(self):
        return 4


class Opened(TableFunction):
    def open(self, function_context):
        self.seen = []

    def eval(self, i):
        self.seen.append(i)
        yield len(self.seen)


scaled, random = udf(Scaled(), result_type=DataTypes.STRING()), udf(Random(), result_type=DataTypes.INT())
opened = udtf(Opened(), result_types=[DataTypes.INT()])
table = env.from_elements([(1,), (2,)], ["n"])
table.select(scaled(col("n")), random()).execute().print()
table.join_lateral(opened(col("n")).alias("k")).execute().print()
print(Random().is_deterministic(), Scaled().is_deterministic())
