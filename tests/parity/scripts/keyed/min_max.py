# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([("a", 3), ("a", 1), ("a", 2)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
keyed = pairs.key_by(lambda p: p[0])
keyed.min(1).print("min")
keyed.max(1).print("max")
env.execute()
