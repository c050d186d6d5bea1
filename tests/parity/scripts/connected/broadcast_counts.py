# parity: any order

from pyflink.common import Types
from pyflink.datastream import BroadcastProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

SEEN = MapStateDescriptor("seen", Types.STRING(), Types.INT())


class Count(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield f"data {value}"

    def process_broadcast_element(self, value, ctx):
        state = ctx.get_broadcast_state(SEEN)
        state.put(value, (state.get(value) or 0) + 1)
        yield f"broadcast {value} {state.get(value)} {sorted(state.keys())}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection(["x", "y"], type_info=Types.STRING())
control = env.from_collection(["a", "b", "a"], type_info=Types.STRING())
data.connect(control.broadcast(SEEN)).process(Count(), output_type=Types.STRING()).print()
env.execute()
