# parity: any order

from pyflink.common import Types
from pyflink.datastream import OutputTag, ProcessFunction, StreamExecutionEnvironment

SHORT = OutputTag("short", Types.STRING())


class Split(ProcessFunction):
    def process_element(self, value, ctx):
        yield value
        if len(value) < 3:
            yield SHORT, value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(["to", "tree", "be"], type_info=Types.STRING()).process(Split(), Types.STRING())
words.print("all")
words.get_side_output(SHORT).print("short")
env.execute()
