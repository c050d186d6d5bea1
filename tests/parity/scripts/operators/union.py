# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
odd = env.from_collection([1, 3, 5], type_info=Types.INT())
even = env.from_collection([2, 4], type_info=Types.INT())
odd.union(even).map(lambda x: x * 10, output_type=Types.INT()).print()
env.execute()
