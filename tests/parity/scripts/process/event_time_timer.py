from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Remind(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value[1] + 10)
        yield f"{value[0]} at {ctx.timestamp()}"

    def on_timer(self, timestamp, ctx):
        yield f"timer of {ctx.get_current_key()} at {timestamp} {ctx.time_domain()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("b", 5), ("a", 30)], type_info=Types.TUPLE([Types.STRING(), Types.LONG()]))
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
data = data.assign_timestamps_and_watermarks(strategy)
data.key_by(lambda d: d[0], key_type=Types.STRING()).process(Remind(), output_type=Types.STRING()).print()
env.execute()
