from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = Types.LIST(Types.INT())
lists = env.from_collection([2, 0, 1], type_info=Types.INT()).map(lambda n: list(range(n)), output_type=numbers)
lists.map(lambda v: [*v, 9], output_type=numbers).print()
env.execute()
