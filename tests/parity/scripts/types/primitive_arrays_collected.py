from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = Types.PRIMITIVE_ARRAY(Types.INT())
stream = env.from_collection([[1, 2], [3]], type_info=numbers).map(lambda a: [x + 1 for x in a], numbers)
print([list(value) for value in stream.execute_and_collect()])
