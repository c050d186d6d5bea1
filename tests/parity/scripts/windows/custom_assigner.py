from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.window import EventTimeTrigger, TimeWindow, TimeWindowSerializer, WindowAssigner


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Doubling(WindowAssigner):
    def assign_windows(self, element, timestamp, context):
        end = 1
        while end <= timestamp:
            end *= 2
        return [TimeWindow(end // 2, end)]

    def get_default_trigger(self, env):
        return EventTimeTrigger()

    def get_window_serializer(self):
        return TimeWindowSerializer()

    def is_event_time(self):
        return True


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3, 4, 7, 9], type_info=Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
)
data.key_by(lambda d: 0).window(Doubling()).reduce(lambda a, b: a + b).print()
env.execute()
