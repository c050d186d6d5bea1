from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([2**40, -1], type_info=Types.LONG()).map(lambda x: x + 1, output_type=Types.LONG()).print()
env.execute()
