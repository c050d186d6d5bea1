from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Now(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Silence(KeyedProcessFunction):
    def open(self, runtime_context):
        self.due = runtime_context.get_state(ValueStateDescriptor("due", Types.LONG()))

    def process_element(self, value, ctx):
        if self.due.value() is not None:
            ctx.timer_service().delete_event_time_timer(self.due.value())
        self.due.update(value[1] + 10)
        ctx.timer_service().register_event_time_timer(value[1] + 10)

    def on_timer(self, timestamp, ctx):
        yield f"{ctx.get_current_key()} silent since {timestamp - 10}"
        self.due.clear()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("a", 5), ("b", 6), ("a", 9), ("b", 40)])
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Now())
keyed = data.assign_timestamps_and_watermarks(strategy).key_by(lambda d: d[0])
keyed.process(Silence(), output_type=Types.STRING()).print()
env.execute()
