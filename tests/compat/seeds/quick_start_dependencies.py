"""The quick start, its third job: the function needs a package, which ``set_python_requirements`` names."""

import os

from pyflink.dataset import ExecutionEnvironment
from pyflink.table import BatchTableEnvironment, DataTypes, TableConfig
from pyflink.table.udf import udf

exec_env = ExecutionEnvironment.get_execution_environment()
exec_env.set_parallelism(1)
t_env = BatchTableEnvironment.create(exec_env, TableConfig())

with open("requirements.txt", "w") as file:
    file.write("greeting==1.0\n")
t_env.set_python_requirements(os.path.abspath("requirements.txt"), os.environ["SEEDS_WHEELS"])


@udf(input_types=[DataTypes.BIGINT(), DataTypes.BIGINT()], result_type=DataTypes.BIGINT())
def add(i, j):
    from greeting import VERSION

    return (i + j) * int(float(VERSION))


t_env.register_function("add", add)
t_env.from_collection([(1, 2)], "a, b").select("add(a, b)").insertInto("print")
t_env.execute("3-udf_add_with_dependency")
