from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor


class Collect(KeyedProcessFunction):
    def open(self, runtime_context):
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", Types.INT()))

    def process_element(self, value, ctx):
        self.all.add(value)
        yield str(list(self.all.get()))
        if value == 2:
            self.all.update([10, 20])
        if value == 3:
            self.all.add_all([30, 40])
        if value == 4:
            self.all.clear()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3, 4, 5], type_info=Types.INT())
data.key_by(lambda d: 0).process(Collect(), output_type=Types.STRING()).print()
env.execute()
