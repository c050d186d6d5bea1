from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([0.1, 1.5, 3.3333333], type_info=Types.FLOAT()).map(lambda x: x, Types.FLOAT()).print()
env.execute()
