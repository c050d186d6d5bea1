from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Show(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value} {ctx.timestamp()} {ctx.timer_service().current_watermark()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2], type_info=Types.LONG())
data.key_by(lambda x: 0).process(Show(), output_type=Types.STRING()).print()
env.execute()
