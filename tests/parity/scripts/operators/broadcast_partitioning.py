# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_collection([1, 2, 3], type_info=Types.INT())
numbers.broadcast().map(lambda x: x * 10, output_type=Types.INT()).print()
env.execute()
