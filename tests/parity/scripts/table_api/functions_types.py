from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udf

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
table = env.from_elements([(1, "a")], ["n", "w"])


def refused(make):
    try:
        made = make()
        table.select(made(col("n"))).print_schema()
    except Exception:
        print("refused")


refused(lambda: udf(lambda i: i))
refused(lambda: udf(lambda i: i, result_type="INT"))
refused(lambda: udf(lambda i: i, result_type="DECIMAL(5, 2)"))
refused(lambda: udf(lambda i: i, result_type="ROW<a INT, b STRING>"))
refused(lambda: udf(lambda i: i, result_type="NOTYPE"))
refused(lambda: udf(lambda i: i, result_type=DataTypes.INT().not_null()))
refused(lambda: udf(lambda i: i, ["BIGINT"], "ARRAY<INT>"))
refused(lambda: udf(lambda i: i, DataTypes.BIGINT(), DataTypes.INT()))
