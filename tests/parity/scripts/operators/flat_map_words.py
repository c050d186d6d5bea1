from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
lines = env.from_collection(["to be or", "not to be", ""], type_info=Types.STRING())
lines.flat_map(lambda line: line.split(), output_type=Types.STRING()).print()
env.execute()
