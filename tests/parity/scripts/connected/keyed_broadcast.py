# parity: any order

from pyflink.common import Types
from pyflink.datastream import KeyedBroadcastProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

LIMITS = MapStateDescriptor("limits", Types.STRING(), Types.INT())


class Limit(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value, ctx: "KeyedBroadcastProcessFunction.ReadOnlyContext"):
        self.count.update((self.count.value() or 0) + 1)
        yield f"{ctx.get_current_key()} {self.count.value()}"

    def process_broadcast_element(self, value, ctx: "KeyedBroadcastProcessFunction.Context"):
        ctx.get_broadcast_state(LIMITS).put(value[0], value[1])
        yield f"limit {value[0]}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection(["x", "y", "x"], type_info=Types.STRING()).key_by(lambda v: v, key_type=Types.STRING())
limits = env.from_collection([("x", 1)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
data.connect(limits.broadcast(LIMITS)).process(Limit(), output_type=Types.STRING()).print()
env.execute()
