from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ReducingStateDescriptor


class Sum(KeyedProcessFunction):
    def open(self, runtime_context):
        descriptor = ReducingStateDescriptor("sum", lambda a, b: a + b, Types.LONG())
        self.sum = runtime_context.get_reducing_state(descriptor)

    def process_element(self, value, ctx):
        yield self.sum.get()
        self.sum.add(value)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3, 4], type_info=Types.LONG())
data.key_by(lambda d: d % 2).process(Sum()).print()
env.execute()
