import time

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import MapFunction, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Punctual(MapFunction):
    def map(self, value):
        time.sleep(0.5)
        return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 12, 2, 25, 3], type_info=Types.LONG()).map(Punctual(), Types.LONG())
data = data.assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
)
data.key_by(lambda d: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(10))).reduce(lambda a, b: a + b).print()
env.execute()
