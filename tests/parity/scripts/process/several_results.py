from pyflink.common import Types
from pyflink.datastream import ProcessFunction, StreamExecutionEnvironment


class Repeat(ProcessFunction):
    def process_element(self, value, ctx):
        return [value] * value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([0, 1, 2], type_info=Types.INT()).process(Repeat(), output_type=Types.INT()).print()
env.execute()
