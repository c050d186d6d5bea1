from pyflink.common import Types
from pyflink.datastream import MapFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Count(MapFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def map(self, value):
        self.count.update((self.count.value() or 0) + 1)
        return value, self.count.value()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
first = env.from_collection(["a", "b", "a"]).key_by(lambda w: w).map(Count())
first.key_by(lambda p: p[1]).map(Count()).print()
env.execute()
