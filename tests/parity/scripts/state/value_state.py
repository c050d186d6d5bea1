from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Last(KeyedProcessFunction):
    def open(self, runtime_context):
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.STRING()))

    def process_element(self, value, ctx):
        yield f"{value[0]}: {self.last.value()} -> {value[1]}"
        if value[1] == "clear":
            self.last.clear()
        else:
            self.last.update(value[1])


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([(1, "a"), (2, "b"), (1, "clear"), (1, "c"), (2, "d")])
data.key_by(lambda d: d[0]).process(Last(), output_type=Types.STRING()).print()
env.execute()
