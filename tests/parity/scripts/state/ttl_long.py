from pyflink.common import Time, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor, StateTtlConfig


class Sum(KeyedProcessFunction):
    def open(self, runtime_context):
        ttl = (
            StateTtlConfig.new_builder(Time.hours(1))
            .set_update_type(StateTtlConfig.UpdateType.OnReadAndWrite)
            .cleanup_full_snapshot()
            .build()
        )
        self.states = []
        for name in ("a", "b"):
            descriptor = MapStateDescriptor(name, Types.INT(), Types.INT())
            descriptor.enable_time_to_live(ttl)
            self.states.append(runtime_context.get_map_state(descriptor))

    def process_element(self, value, ctx):
        for i, state in enumerate(self.states):
            state.put(value % 2, (state.get(value % 2) or 0) + value * (i + 1))
        yield str([sorted(state.items()) for state in self.states])


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3], type_info=Types.INT())
data.key_by(lambda d: 0).process(Sum(), output_type=Types.STRING()).print()
env.execute()
