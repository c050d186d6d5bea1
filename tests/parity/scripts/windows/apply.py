from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment, WindowFunction
from pyflink.datastream.window import TimeWindow, TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Median(WindowFunction):
    def apply(self, key, window: TimeWindow, inputs):
        ordered = sorted(inputs)
        yield window.start, ordered[len(ordered) // 2]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([5, 1, 3, 12, 18, 16], type_info=Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(10)).with_timestamp_assigner(Own())
)
windows = data.key_by(lambda d: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
windows.apply(Median(), Types.TUPLE([Types.LONG(), Types.LONG()])).print()
env.execute()
