# parity: any order

from pyflink.common import Types
from pyflink.datastream import CoMapFunction, StreamExecutionEnvironment


class Label(CoMapFunction):
    def map1(self, value):
        return f"number {value}"

    def map2(self, value):
        return f"text {value}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2], type_info=Types.INT())
texts = env.from_collection(["a", "b"], type_info=Types.STRING())
numbers.connect(texts).map(Label(), output_type=Types.STRING()).print()
env.execute()
