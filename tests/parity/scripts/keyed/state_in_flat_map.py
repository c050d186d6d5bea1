from pyflink.common import Types
from pyflink.datastream import FlatMapFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Changes(FlatMapFunction):
    def open(self, runtime_context):
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.INT()))

    def flat_map(self, value):
        if self.last.value() != value[1]:
            yield value
        self.last.update(value[1])


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([("a", 1), ("a", 1), ("b", 1), ("a", 2)], Types.TUPLE([Types.STRING(), Types.INT()]))
pairs.key_by(lambda p: p[0]).flat_map(Changes(), Types.TUPLE([Types.STRING(), Types.INT()])).print()
env.execute()
