from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Bounds(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{context.window()} {sorted(elements)} {context.window().max_timestamp()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3, 13], type_info=Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
)
windows = data.key_by(lambda d: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(3)))
windows.process(Bounds(), Types.STRING()).print()
env.execute()
