from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Tell(ProcessWindowFunction):
    def process(self, key, context, elements):
        for element in elements:
            yield f"{key} until {context.window().end}: {element[1]}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("a", 2), ("a", 13), ("b", 14)])
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
windows = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0])
windows = windows.window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
windows.reduce(lambda a, b: None, Tell(), Types.STRING()).print()
env.execute()
