from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = Types.OBJECT_ARRAY(Types.TUPLE([Types.STRING(), Types.INT()]))
stream = env.from_collection([1, 2], type_info=Types.INT()).map(lambda n: [("a", n)] * n, output_type=pairs)
stream.map(lambda a: len(a), output_type=Types.INT()).print()
env.execute()
