# parity: any order

from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
strategy = (
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5))
    .with_idleness(Duration.of_millis(100))
    .with_timestamp_assigner(Own())
)
data = env.from_collection([1, 3, 12, 25], type_info=Types.LONG()).assign_timestamps_and_watermarks(strategy)
data.key_by(lambda x: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(10))).reduce(lambda a, b: a + b).print()
env.execute()
