import time

from pyflink.common import Configuration, Time, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import StateTtlConfig, ValueStateDescriptor


class Before(KeyedProcessFunction):
    def open(self, runtime_context):
        ttl = StateTtlConfig.new_builder(Time.milliseconds(300)).build()
        descriptor = ValueStateDescriptor("last", Types.INT())
        descriptor.enable_time_to_live(ttl)
        self.last = runtime_context.get_state(descriptor)

    def process_element(self, value, ctx):
        before = self.last.value()
        self.last.update(value)
        time.sleep(1)
        yield f"{before}"


config = Configuration().set_string("python.fn-execution.bundle.size", "1").set_string("python.state.cache-size", "0")
env = StreamExecutionEnvironment.get_execution_environment(config)
env.set_parallelism(1)
data = env.from_collection([1, 2], type_info=Types.INT())
data.key_by(lambda d: 0).process(Before(), output_type=Types.STRING()).print()
env.execute()
