from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a", "b"]).map(lambda s: s.upper() + "!", output_type=Types.STRING()).print()
env.execute()
