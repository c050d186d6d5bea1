from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = Types.PRIMITIVE_ARRAY(Types.BYTE())
stream = env.from_collection(["ab", "c"], type_info=Types.STRING()).map(lambda s: s.encode(), output_type=data)
stream.map(lambda b: f"{bytes(b)} {len(b)}", output_type=Types.STRING()).print()
env.execute()
