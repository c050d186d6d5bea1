"""FLIP-130, "Stateless Functions" and "Types and SerDe"."""

from pyflink.common import Row, Types
from pyflink.datastream import MapFunction, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
ds = env.from_collection([1, 2], type_info=Types.INT)


# implement a MapFunction
class MyMapFunction(MapFunction):
    def map(self, value):
        return value + 1


def map_func(value):
    return value + 1


ds.map(MyMapFunction()).print()
# a lambda function
ds.map(lambda x: x + 1).print()
# directly pass a func
ds.map(map_func).print()
env.execute()


class ToRow(MapFunction):
    def map(self, value):
        return Row(str(value), value)


data_stream = env.from_collection([1, 2])
data_stream.map(ToRow(), data_types=Types.ROW([Types.String(), Types.INT()])).print()
env.execute()
