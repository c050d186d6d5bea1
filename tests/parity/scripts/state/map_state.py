from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.counts = runtime_context.get_map_state(MapStateDescriptor("counts", Types.STRING(), Types.INT()))

    def process_element(self, value, ctx):
        self.counts.put(value[1], (self.counts.get(value[1]) or 0) + 1)
        yield f"{value[0]} {sorted(self.counts.items())} {self.counts.contains('x')} {self.counts.is_empty()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([(1, "x"), (1, "y"), (2, "y"), (1, "x")])
data.key_by(lambda d: d[0]).process(Count(), output_type=Types.STRING()).print()
env.execute()
