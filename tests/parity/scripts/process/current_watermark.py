from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Tell(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value)

    def on_timer(self, timestamp, ctx):
        yield timestamp, ctx.timer_service().current_watermark() >= timestamp


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([5, 1, 3], type_info=Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(10)).with_timestamp_assigner(Own())
)
data.key_by(lambda x: "all").process(Tell()).print()
env.execute()
