from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Tell(ProcessWindowFunction):
    def process(self, key, context, elements):
        windows = context.global_state().get_state(ValueStateDescriptor("windows", Types.INT()))
        windows.update((windows.value() or 0) + 1)
        here = context.window_state().get_state(ValueStateDescriptor("here", Types.INT()))
        here.update((here.value() or 0) + len(list(elements)))
        yield f"window {windows.value()}: {here.value()}"

    def clear(self, context):
        context.window_state().get_state(ValueStateDescriptor("here", Types.INT())).clear()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 13, 24], type_info=Types.LONG()).assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
)
windows = data.key_by(lambda d: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
windows.process(Tell(), Types.STRING()).print()
env.execute()
