from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessFunction, StreamExecutionEnvironment


class Shift(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * 2 if record_timestamp < 0 else record_timestamp + 1


class Show(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value} {ctx.timestamp()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Shift())
data = env.from_collection([1, 2], type_info=Types.LONG()).assign_timestamps_and_watermarks(strategy)
data.assign_timestamps_and_watermarks(strategy).process(Show(), output_type=Types.STRING()).print()
env.execute()
