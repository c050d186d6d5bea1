from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1], type_info=Types.INT())
numbers.union(env.from_collection(["a"], type_info=Types.STRING())).print()
env.execute()
