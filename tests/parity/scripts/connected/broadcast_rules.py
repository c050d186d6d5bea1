import time

from pyflink.common import Types
from pyflink.datastream import BroadcastProcessFunction, MapFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


class Apply(BroadcastProcessFunction):
    def process_element(self, value, ctx: "BroadcastProcessFunction.ReadOnlyContext"):
        yield value, ctx.get_broadcast_state(RULES).contains(value)

    def process_broadcast_element(self, value, ctx: "BroadcastProcessFunction.Context"):
        ctx.get_broadcast_state(RULES).put(value[0], value[1])


class Slow(MapFunction):
    def map(self, value):
        time.sleep(1)
        return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection(["x"], type_info=Types.STRING()).map(Slow(), Types.STRING())
rules = env.from_collection([("a", 1)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
out = Types.TUPLE([Types.STRING(), Types.BOOLEAN()])
data.connect(rules.broadcast(RULES)).process(Apply(), output_type=out).print()
env.execute()
