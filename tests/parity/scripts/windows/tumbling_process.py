from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Count(ProcessWindowFunction):
    def process(self, key, context: ProcessWindowFunction.Context, elements):
        yield key, context.window().start, context.window().end, len(list(elements))


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("a", 4), ("b", 6), ("a", 12)], Types.TUPLE([Types.STRING(), Types.LONG()]))
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
keyed = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0], key_type=Types.STRING())
out = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG(), Types.INT()])
keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(5))).process(Count(), out).print()
env.execute()
