from pyflink.common import Time, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, StateTtlConfig


class Collect(KeyedProcessFunction):
    def open(self, runtime_context):
        descriptor = ListStateDescriptor("all", Types.INT())
        descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.seconds(600)).build())
        self.all = runtime_context.get_list_state(descriptor)

    def process_element(self, value, ctx):
        self.all.add(value)
        yield sum(self.all)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3], type_info=Types.INT())
data.key_by(lambda d: 0).process(Collect(), output_type=Types.INT()).print()
env.execute()
