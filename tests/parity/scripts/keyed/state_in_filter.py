from pyflink.common import Types
from pyflink.datastream import FilterFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor


class Distinct(FilterFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.BOOLEAN()))

    def filter(self, value):
        if self.seen.value():
            return False
        self.seen.update(True)
        return True


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(["to", "be", "or", "not", "to", "be"], type_info=Types.STRING())
words.key_by(lambda w: w).filter(Distinct()).print()
env.execute()
