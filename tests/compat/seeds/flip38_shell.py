"""FLIP-38, "Python Shell"; ``1L`` of Python 2 is ``1``."""

from pyflink.dataset import ExecutionEnvironment
from pyflink.table import BatchTableEnvironment, TableConfig

exec_env = ExecutionEnvironment.get_execution_environment()
exec_env.set_parallelism(1)
t_config = TableConfig()
t_env = BatchTableEnvironment.create(t_config)
data = [(1, "Sunny"), (2, "Eden")]
source = t_env.from_collection(data, "id, name")
source.select("id, name").insertInto("print")
t_env.execute()
