# parity: any order

from pyflink.common import Types
from pyflink.datastream import KeyedCoProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Count(KeyedCoProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element1(self, value, ctx):
        return self.add(ctx)

    def process_element2(self, value, ctx):
        return self.add(ctx)

    def add(self, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield ctx.get_current_key(), self.count.value()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(["a", "b", "a"], type_info=Types.STRING()).key_by(lambda w: w)
more = env.from_collection(["a", "c"], type_info=Types.STRING()).key_by(lambda w: w)
words.connect(more).process(Count(), Types.TUPLE([Types.STRING(), Types.INT()])).print()
env.execute()
