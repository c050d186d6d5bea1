# parity: any order
from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import EventTimeTrigger, MergingWindowAssigner, TimeWindow, TimeWindowSerializer


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Decades(MergingWindowAssigner):
    """Windows of 10 ms, of which neighbours become one."""

    def assign_windows(self, element, timestamp, context):
        start = timestamp - timestamp % 10
        return [TimeWindow(start, start + 10)]

    def get_default_trigger(self, env):
        return EventTimeTrigger.create()

    def get_window_serializer(self):
        return TimeWindowSerializer()

    def is_event_time(self):
        return True

    def merge_windows(self, windows, callback):
        group = []
        for window in sorted(windows, key=lambda each: each.start):
            if group and window.start > group[-1].end:
                self.merge_group(group, callback)
                group = []
            group.append(window)
        self.merge_group(group, callback)

    def merge_group(self, group, callback):
        if len(group) > 1:  # the same window may be there twice
            callback.merge(group, TimeWindow(group[0].start, max(window.end for window in group)))


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{context.window().start} {context.window().end} {sorted(elements)}"

    def clear(self, context):
        pass


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 5, 30, 5, 33, 47, 90, 38, 95], type_info=Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
)
windows = data.key_by(lambda value: value % 2).window(Decades())
windows.process(Show(), Types.STRING()).print()
env.execute()
windows.reduce(lambda a, b: a + b).print()
env.execute()
