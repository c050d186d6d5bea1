from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
squares = env.from_collection([1, 2, 3], type_info=Types.INT()).map(lambda x: x * x, output_type=Types.INT())
with squares.execute_and_collect() as results:
    for value in results:
        print(type(value).__name__, value)
