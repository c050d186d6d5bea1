"""The quick start, its second and fourth job: two columns are added by a function, then by one of pandas."""

from pyflink.dataset import ExecutionEnvironment
from pyflink.table import BatchTableEnvironment, DataTypes, TableConfig
from pyflink.table.descriptors import FileSystem, OldCsv, Schema
from pyflink.table.udf import udf

with open("udf_input", "w") as file:
    file.write("1,2\n")

exec_env = ExecutionEnvironment.get_execution_environment()
exec_env.set_parallelism(1)
t_config = TableConfig()
t_env = BatchTableEnvironment.create(exec_env, t_config)


@udf(input_types=[DataTypes.BIGINT(), DataTypes.BIGINT()], result_type=DataTypes.BIGINT())
def add(i, j):
    return i + j


@udf(input_types=[DataTypes.BIGINT(), DataTypes.BIGINT()], result_type=DataTypes.BIGINT(), udf_type="pandas")
def add_series(i, j):
    return i + j


t_env.register_function("add", add)
t_env.register_function("add_series", add_series)

t_env.connect(FileSystem().path("udf_input")).with_format(
    OldCsv().field("a", DataTypes.BIGINT()).field("b", DataTypes.BIGINT())
).with_schema(Schema().field("a", DataTypes.BIGINT()).field("b", DataTypes.BIGINT())).create_temporary_table("mySource")

for function in ("add", "add_series"):
    t_env.connect(FileSystem().path(f"{function}_output")).with_format(
        OldCsv().field("sum", DataTypes.BIGINT())
    ).with_schema(Schema().field("sum", DataTypes.BIGINT())).create_temporary_table(f"{function}_sink")
    t_env.from_path("mySource").select(f"{function}(a, b)").insert_into(f"{function}_sink")
    t_env.execute(f"2-{function}")
    print(open(f"{function}_output").read(), end="")
