# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
words = env.from_collection(
    ["to", "be", "or", "not", "to", "be", "that", "is", "the", "question"], type_info=Types.STRING()
)
pairs = words.map(lambda w: (w, 1), output_type=Types.TUPLE([Types.STRING(), Types.INT()]))
pairs.key_by(lambda p: p[0], key_type=Types.STRING()).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
env.execute()
