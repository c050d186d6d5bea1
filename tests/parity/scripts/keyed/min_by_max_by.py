# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
scores = env.from_collection(
    [("a", 3, "x"), ("a", 1, "y"), ("a", 5, "z"), ("a", 1, "w")],
    type_info=Types.TUPLE([Types.STRING(), Types.INT(), Types.STRING()]),
)
keyed = scores.key_by(lambda s: s[0])
keyed.min_by(1).print("min")
keyed.max_by(1).print("max")
env.execute()
