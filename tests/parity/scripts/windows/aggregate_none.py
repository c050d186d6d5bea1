from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AggregateFunction, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Average(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[1], accumulator[1] + 1

    def get_result(self, accumulator):
        return None if accumulator[1] == 2 else accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("a", 2), ("b", 3), ("a", 11)], Types.TUPLE([Types.STRING(), Types.LONG()]))
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
windows = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0])
windows = windows.window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
accumulator = Types.TUPLE([Types.LONG(), Types.LONG()])
windows.aggregate(Average(), accumulator_type=accumulator, output_type=Types.DOUBLE()).print()
env.execute()
