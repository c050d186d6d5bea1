# parity: any order

from pyflink.common import Types
from pyflink.datastream import CoMapFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Count(CoMapFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def map1(self, value):
        self.count.update((self.count.value() or 0) + 1)
        return self.count.value()

    def map2(self, value):
        return self.map1(value)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
left = env.from_collection(["a", "a"], type_info=Types.STRING())
right = env.from_collection(["a", "b"], type_info=Types.STRING())
left.connect(right).key_by(lambda w: w, lambda w: w).map(Count(), output_type=Types.INT()).print()
env.execute()
