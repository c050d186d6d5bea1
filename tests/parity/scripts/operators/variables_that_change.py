from pyflink.common import Types
from pyflink.datastream import KeySelector, MapFunction, StreamExecutionEnvironment


class Add(MapFunction):
    def __init__(self, number):
        self.number = number

    def map(self, value):
        return value + self.number


class Modulo(KeySelector):
    def __init__(self, number):
        self.number = number

    def get_key(self, value):
        return value % self.number


def scale(value):
    return value * factor


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
stream = env.from_collection([0, 5], type_info=Types.INT())
for n in [1, 10, 100]:
    stream = stream.map(lambda v: v + n, output_type=Types.INT())  # noqa: B023
least = 103
stream = stream.filter(lambda v: v > least)
least = 1000
add = Add(1000)
stream = stream.map(add, output_type=Types.INT())
add.number = 5
factor = 2
stream = stream.map(scale, output_type=Types.INT())
factor = 3
modulo = Modulo(1)
offsets = {0: 7}
keyed = stream.key_by(modulo, key_type=Types.INT())
modulo.number = 0
stream = keyed.map(lambda v: v + offsets[0], output_type=Types.INT())
offsets[0] = 8
stream.print()
env.execute()
