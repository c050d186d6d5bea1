# parity: any order

from pyflink.common import Types
from pyflink.datastream import CoFlatMapFunction, StreamExecutionEnvironment


class Split(CoFlatMapFunction):
    def flat_map1(self, value):
        return [value, value]

    def flat_map2(self, value):
        return None


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2], type_info=Types.INT())
numbers.connect(env.from_collection(["a"])).flat_map(Split(), output_type=Types.INT()).print()
env.execute()
