from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pair = Types.TUPLE([Types.STRING(), Types.LONG()])
data = env.from_collection([("a", 1), ("b", 2), ("a", 6), ("b", 13)], type_info=pair)
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
small = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0])
small = small.window(TumblingEventTimeWindows.of(Time.milliseconds(5))).reduce(lambda a, b: (a[0], a[1] + b[1]))
large = small.key_by(lambda d: "all").window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
large.reduce(lambda a, b: ("all", a[1] + b[1])).print()
env.execute()
