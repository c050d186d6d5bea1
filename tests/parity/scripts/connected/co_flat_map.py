# parity: any order

from pyflink.common import Types
from pyflink.datastream import CoFlatMapFunction, StreamExecutionEnvironment


class Split(CoFlatMapFunction):
    def flat_map1(self, value):
        for i in range(value):
            yield f"number {i}"

    def flat_map2(self, value):
        yield from value.split()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2], type_info=Types.INT())
texts = env.from_collection(["to be", "", "or"], type_info=Types.STRING())
numbers.connect(texts).flat_map(Split(), output_type=Types.STRING()).print()
env.execute()
