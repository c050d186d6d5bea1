from pyflink.common import Types
from pyflink.datastream import OutputTag, ProcessFunction, StreamExecutionEnvironment

LATE = OutputTag("even", Types.INT())


class Split(ProcessFunction):
    def process_element(self, value, ctx):
        if value % 2 == 0:
            yield LATE, value
        else:
            yield value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
odd = env.from_collection([1, 2, 3, 4], type_info=Types.INT()).process(Split(), output_type=Types.INT())
odd.get_side_output(LATE).map(lambda x: x * 100, output_type=Types.INT()).print()
env.execute()
