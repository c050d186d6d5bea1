# parity: any order

import time

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import MapFunction, OutputTag, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows

LATE = OutputTag("late", Types.LONG())


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
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
windows = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: 0)
windows = windows.window(TumblingEventTimeWindows.of(Time.milliseconds(10))).side_output_late_data(LATE)
main = windows.reduce(lambda a, b: a + b, output_type=Types.LONG())
main.print("main")
main.get_side_output(LATE).print("late")
env.execute()
