from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedCoProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor


class Join(KeyedCoProcessFunction):
    def open(self, runtime_context):
        self.left = runtime_context.get_list_state(ListStateDescriptor("left", Types.STRING()))
        self.right = runtime_context.get_list_state(ListStateDescriptor("right", Types.STRING()))

    def process_element1(self, value, ctx):
        self.left.add(value[1])
        ctx.timer_service().register_event_time_timer(100)

    def process_element2(self, value, ctx):
        self.right.add(value[1])
        ctx.timer_service().register_event_time_timer(100)

    def on_timer(self, timestamp, ctx):
        for a in sorted(self.left.get()):
            for b in sorted(self.right.get()):
                yield f"{ctx.get_current_key()} {a} {b}"


class One(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return 1


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pair = Types.TUPLE([Types.INT(), Types.STRING()])
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(One())
left = env.from_collection([(1, "a"), (1, "b"), (2, "c")], type_info=pair).assign_timestamps_and_watermarks(strategy)
right = env.from_collection([(1, "x"), (3, "y")], type_info=pair).assign_timestamps_and_watermarks(strategy)
joined = left.connect(right).key_by(lambda p: p[0], lambda p: p[0])
joined.process(Join(), output_type=Types.STRING()).print()
env.execute()
