import time

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Later(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_processing_time_timer(ctx.timer_service().current_processing_time() + 1)
        yield f"got {value}"
        time.sleep(0.2)

    def on_timer(self, timestamp, ctx):
        yield f"timer of {ctx.get_current_key()}, timestamp {ctx.timestamp() == timestamp}, {ctx.time_domain()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2], type_info=Types.INT())
data.key_by(lambda x: x % 1, key_type=Types.INT()).process(Later(), output_type=Types.STRING()).print()
env.execute()
