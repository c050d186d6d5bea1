from pyflink.common import Types
from pyflink.datastream import FilterFunction, StreamExecutionEnvironment


class Long(FilterFunction):
    def filter(self, value):
        return len(value) > 2


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(["to", "bee", "not", "i"], type_info=Types.STRING())
words.filter(Long()).map(len, output_type=Types.INT()).print()
env.execute()
