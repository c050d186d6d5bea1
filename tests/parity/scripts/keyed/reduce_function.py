from pyflink.common import Types
from pyflink.datastream import ReduceFunction, StreamExecutionEnvironment


class Longest(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 if len(value1) >= len(value2) else value2


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(["to", "tree", "be", "bee", "t"], type_info=Types.STRING())
words.key_by(lambda w: w[0], key_type=Types.STRING()).reduce(Longest()).print()
env.execute()
