# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.from_collection(list(range(6)), type_info=Types.INT()).rebalance().map(lambda x: x + 1, Types.INT()).print()
env.execute()
