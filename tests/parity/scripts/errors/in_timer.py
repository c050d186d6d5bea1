from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Fails(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value)

    def on_timer(self, timestamp, ctx):
        raise ValueError(f"timer {timestamp}")


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([5], type_info=Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
)
data.key_by(lambda x: 0).process(Fails(), Types.LONG()).print()
env.execute()
