from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import EventTimeSessionWindows, SessionWindowTimeGapExtractor


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Gap(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return element[1]


class Bounds(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().start, context.window().end, len(list(elements))


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("hi", 1), ("hi", 2), ("hi", 3), ("hi", 4), ("hi", 9), ("hi", 30)])
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
windows = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0])
out = Types.TUPLE([Types.STRING(), Types.INT(), Types.INT(), Types.INT()])
windows.window(EventTimeSessionWindows.with_dynamic_gap(Gap())).process(Bounds(), out).print()
env.execute()
