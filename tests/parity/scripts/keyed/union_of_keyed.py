# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
a = env.from_collection([("a", 1), ("b", 2)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
b = env.from_collection([("a", 10)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
a.union(b).key_by(lambda p: p[0]).sum(1).map(lambda p: p[0], Types.STRING()).print()
env.execute()
