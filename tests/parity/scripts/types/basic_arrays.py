from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = Types.BASIC_ARRAY(Types.STRING())
stream = env.from_collection([["a", "b"], ["c"]], type_info=words).map(lambda a: [x.upper() for x in a], words)
print([list(value) for value in stream.execute_and_collect()])
