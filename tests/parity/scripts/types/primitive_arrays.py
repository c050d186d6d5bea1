from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
doubles = Types.PRIMITIVE_ARRAY(Types.DOUBLE())
stream = env.from_collection([[1.0, 2.5], []], type_info=doubles)
stream.map(lambda a: sum(a), output_type=Types.DOUBLE()).print()
env.execute()
