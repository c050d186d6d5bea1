from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1] * 1000


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("a", 4), ("a", 6), ("a", 11)], Types.TUPLE([Types.STRING(), Types.INT()]))
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
windows = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0])
windows.window(TumblingEventTimeWindows.of(Time.seconds(5))).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
env.execute()
