from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import EventTimeSessionWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("a", 3), ("a", 20), ("b", 21)], Types.TUPLE([Types.STRING(), Types.LONG()]))
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
windows = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0])
windows = windows.window(EventTimeSessionWindows.with_gap(Time.milliseconds(5)))
windows.reduce(lambda a, b: (a[0], a[1] + b[1])).print()
env.execute()
