from pyflink.common import Types
from pyflink.datastream import AggregateFunction, KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import AggregatingStateDescriptor


class Average(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


class Averages(KeyedProcessFunction):
    def open(self, runtime_context):
        descriptor = AggregatingStateDescriptor("average", Average(), Types.TUPLE([Types.LONG(), Types.LONG()]))
        self.average = runtime_context.get_aggregating_state(descriptor)

    def process_element(self, value, ctx):
        self.average.add(value)
        yield self.average.get()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 6], type_info=Types.LONG())
data.key_by(lambda d: 0).process(Averages(), output_type=Types.DOUBLE()).print()
env.execute()
