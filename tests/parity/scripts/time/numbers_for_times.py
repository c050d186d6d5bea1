from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Later(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 1e3)

    def on_timer(self, timestamp, ctx):
        yield f"{ctx.get_current_key()} at {timestamp!r}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
data = env.from_collection([("a", 1.7), ("b", True), ("c", 2)]).assign_timestamps_and_watermarks(strategy)
data.key_by(lambda d: d[0]).process(Later(), Types.STRING()).print()
env.execute()
