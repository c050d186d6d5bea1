from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = Types.LIST(Types.TUPLE([Types.STRING(), Types.INT()]))
stream = env.from_collection([1, 2], type_info=Types.INT()).map(lambda n: [("a", i) for i in range(n)], pairs)
stream.print()
env.execute()
