# parity: any order

from pyflink.common import Types
from pyflink.datastream import CoMapFunction, StreamExecutionEnvironment


class Label(CoMapFunction):
    def map1(self, value):
        return value[0], value[1] * 10

    def map2(self, value):
        return value[0], -value[1]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pair = Types.TUPLE([Types.STRING(), Types.INT()])
left = env.from_collection([("a", 1), ("b", 2)], type_info=pair)
right = env.from_collection([("a", 3)], type_info=pair)
left.connect(right).key_by(lambda p: p[0], lambda p: p[0], key_type=Types.STRING()).map(Label(), pair).print()
env.execute()
