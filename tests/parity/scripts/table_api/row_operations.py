from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udf, udtf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
pair = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.STRING())])


@udf(result_type=pair)
def shifted(row):
    return Row(row.n + 1, row[1] * 2)


@udf(result_type=pair)
def of_column(n):
    return Row(n, str(n))


@udf(result_type=DataTypes.BIGINT())
def single(row):
    return row[0]


@udtf(result_types=[DataTypes.BIGINT(), DataTypes.STRING()])
def doubled(row):
    yield row.n, row.w
    yield -row.n, row.w


table = env.from_elements([(1, "x"), (2, "y")], ["n", "w"])
table.map(shifted).print_schema()
table.map(shifted).execute().print()
table.map(of_column(col("n"))).alias("p", "q").execute().print()
table.map(single).print_schema()
table.flat_map(doubled).print_schema()
table.flat_map(doubled).alias("k", "v").execute().print()
