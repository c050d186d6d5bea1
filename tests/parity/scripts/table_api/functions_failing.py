from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


@udf(result_type=DataTypes.BIGINT())
def fails(i):
    return i // 0


table = env.from_elements([(1, "a")], ["n", "w"])
try:
    table.select(fails(col("n"))).execute().print()
except Exception:
    print("refused")
try:
    table.execute_insert("nothing")
except Exception:
    print("refused")
