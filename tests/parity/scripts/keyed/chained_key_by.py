from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3, 4, 5, 6], type_info=Types.INT())
sums = numbers.key_by(lambda x: x % 3, key_type=Types.INT()).reduce(lambda a, b: a + b)
sums.key_by(lambda x: x % 2, key_type=Types.INT()).reduce(lambda a, b: a + b).print()
env.execute()
