from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Keep(KeyedProcessFunction):
    def open(self, runtime_context):
        self.float = runtime_context.get_state(ValueStateDescriptor("float", Types.FLOAT()))

    def process_element(self, value, ctx):
        if self.float.value() is not None:
            yield self.float.value()
        self.float.update(value)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([0.1, 0.2, 0.3], type_info=Types.DOUBLE())
data.key_by(lambda d: 0).process(Keep(), output_type=Types.DOUBLE()).print()
env.execute()
