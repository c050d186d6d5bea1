"""FLIP-58, "Python Shell"; ``1L`` of Python 2 is ``1``."""

from pyflink.table import TableConfig, TableEnvironment

t_config = TableConfig.builder().as_streaming_execution().set_parallelism(1).build()
t_env = TableEnvironment.create(t_config)
data = [(1, "Sunny"), (2, "Eden")]
source = t_env.from_collection(data, "id, name")
source.select("id, name").insertInto("print")
t_env.execute()
