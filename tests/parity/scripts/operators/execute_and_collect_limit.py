from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
print(env.from_collection(["a", "b", "c"], type_info=Types.STRING()).execute_and_collect(limit=2))
