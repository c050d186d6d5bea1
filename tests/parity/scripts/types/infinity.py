from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([float("inf"), float("-inf"), float("nan")], type_info=Types.DOUBLE())
numbers.map(lambda x: x, output_type=Types.DOUBLE()).print()
env.execute()
