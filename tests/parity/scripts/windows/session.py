from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import EventTimeSessionWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Bounds(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {context.window().start} {context.window().end} {[e[1] for e in elements]}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("hi", 1), ("hi", 2), ("hi", 3), ("hi", 8), ("hi", 9), ("hi", 15), ("yo", 30)])
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
windows = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0])
windows.window(EventTimeSessionWindows.with_gap(Time.milliseconds(5))).process(Bounds(), Types.STRING()).print()
env.execute()
