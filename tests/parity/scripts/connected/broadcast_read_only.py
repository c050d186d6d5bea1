from pyflink.common import Types
from pyflink.datastream import BroadcastProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor

RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


class Wrong(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        try:
            ctx.get_broadcast_state(RULES).put("a", 1)
        except Exception:
            yield "read only"

    def process_broadcast_element(self, value, ctx):
        pass


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection(["x"], type_info=Types.STRING())
rules = env.from_collection(["r"], type_info=Types.STRING()).broadcast(RULES)
data.connect(rules).process(Wrong(), output_type=Types.STRING()).print()
env.execute()
