from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Average(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.sum = runtime_context.get_state(ValueStateDescriptor("sum", Types.TUPLE([Types.LONG(), Types.LONG()])))

    def process_element(self, value, ctx: "KeyedProcessFunction.Context"):
        count, total = self.sum.value() or (0, 0)
        self.sum.update((count + 1, total + value[1]))
        yield ctx.get_current_key(), (total + value[1]) / (count + 1)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([("a", 1), ("b", 4), ("a", 2)], type_info=Types.TUPLE([Types.STRING(), Types.LONG()]))
pairs.key_by(lambda p: p[0]).process(Average(), Types.TUPLE([Types.STRING(), Types.DOUBLE()])).print()
env.execute()
