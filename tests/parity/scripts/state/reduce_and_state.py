from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Rank(KeyedProcessFunction):
    def open(self, runtime_context):
        self.best = runtime_context.get_state(ValueStateDescriptor("best", Types.INT()))

    def process_element(self, value, ctx):
        if self.best.value() is None or value[1] > self.best.value():
            self.best.update(value[1])
            yield value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pair = Types.TUPLE([Types.STRING(), Types.INT()])
data = env.from_collection([("a", 1), ("b", 5), ("a", 1), ("a", 2), ("b", 3)], type_info=pair)
sums = data.key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
sums.key_by(lambda p: "all").process(Rank(), pair).print()
env.execute()
