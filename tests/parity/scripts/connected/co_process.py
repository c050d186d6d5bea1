# parity: any order

from pyflink.common import Types
from pyflink.datastream import CoProcessFunction, StreamExecutionEnvironment


class Mark(CoProcessFunction):
    def process_element1(self, value, ctx: "CoProcessFunction.Context"):
        yield "left", value

    def process_element2(self, value, ctx):
        yield "right", value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
left = env.from_collection([1, 2], type_info=Types.INT())
right = env.from_collection([3], type_info=Types.INT())
left.connect(right).process(Mark(), output_type=Types.TUPLE([Types.STRING(), Types.INT()])).print()
env.execute()
