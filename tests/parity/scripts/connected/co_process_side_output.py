# parity: any order

from pyflink.common import Types
from pyflink.datastream import CoProcessFunction, OutputTag, StreamExecutionEnvironment

OTHER = OutputTag("other", Types.STRING())


class Sort(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield OTHER, value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
left = env.from_collection(["a"], type_info=Types.STRING())
right = env.from_collection(["b", "c"], type_info=Types.STRING())
main = left.connect(right).process(Sort(), output_type=Types.STRING())
main.print("main")
main.get_side_output(OTHER).print("other")
env.execute()
