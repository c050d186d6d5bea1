from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import ContinuousEventTimeTrigger, TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 3, 6, 8, 11, 21], type_info=Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
)
windows = data.key_by(lambda d: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(20)))
windows.trigger(ContinuousEventTimeTrigger.of(Time.milliseconds(5))).reduce(lambda a, b: a + b).print()
env.execute()
