from pyflink.common import Types
from pyflink.datastream import KeySelector, StreamExecutionEnvironment


class First(KeySelector):
    def get_key(self, value):
        return value[0]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([("a", 1), ("b", 2), ("a", 3)], type_info=Types.TUPLE([Types.STRING(), Types.LONG()]))
pairs.key_by(First(), key_type=Types.STRING()).reduce(lambda a, b: (a[0], max(a[1], b[1]))).print()
env.execute()
