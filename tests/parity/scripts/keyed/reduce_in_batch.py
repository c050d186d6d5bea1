# parity: any order

from pyflink.common import Types
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.set_runtime_mode(RuntimeExecutionMode.BATCH)
numbers = env.from_collection(list(range(10)), type_info=Types.INT())
numbers.key_by(lambda x: x % 3, key_type=Types.INT()).reduce(lambda a, b: a + b).print()
env.execute()
