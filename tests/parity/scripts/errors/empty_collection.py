from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([], type_info=Types.INT()).map(lambda x: x + 1, output_type=Types.INT()).print()
env.execute()
print("done")
