from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3, 4, 5, 6, 7], type_info=Types.INT())
data.key_by(lambda d: d % 2).count_window(2).reduce(lambda a, b: a + b).print()
env.execute()
