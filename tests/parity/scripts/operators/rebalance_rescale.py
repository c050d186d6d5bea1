# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_collection(list(range(8)), type_info=Types.INT())
numbers.rebalance().map(lambda x: x, Types.INT()).rescale().filter(lambda x: x > 2).shuffle().print()
env.execute()
