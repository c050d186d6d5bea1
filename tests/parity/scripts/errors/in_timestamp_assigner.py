from pyflink.common import WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessFunction, StreamExecutionEnvironment


class Wrong(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(value)


class Show(ProcessFunction):
    def process_element(self, value, ctx):
        yield ctx.timestamp()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Wrong())
env.from_collection(["x"]).assign_timestamps_and_watermarks(strategy).process(Show()).print()
env.execute()
