from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Merge(KeyedProcessFunction):
    def open(self, runtime_context):
        row = Types.ROW_NAMED(["name", "total"], [Types.STRING(), Types.LONG()])
        self.row = runtime_context.get_state(ValueStateDescriptor("row", row))

    def process_element(self, value, ctx):
        before = self.row.value()
        self.row.update(Row(value[0], value[1] + (before[1] if before else 0)))
        yield f"{before} {self.row.value()[1]}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("a", 2), ("b", 3)])
data.key_by(lambda d: d[0]).process(Merge(), output_type=Types.STRING()).print()
env.execute()
