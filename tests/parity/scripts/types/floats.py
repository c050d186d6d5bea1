from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1.0, 0.1, 1e-7, 1e22, -2.5, 100.0], type_info=Types.DOUBLE())
numbers.map(lambda x: x, output_type=Types.DOUBLE()).print()
env.execute()
