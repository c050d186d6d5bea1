from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a"], type_info=Types.STRING()).map(lambda s: (s, 1), output_type=Types.STRING()).print()
env.execute()
