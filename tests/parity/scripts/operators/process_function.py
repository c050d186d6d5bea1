from pyflink.common import Types
from pyflink.datastream import ProcessFunction, StreamExecutionEnvironment


class Label(ProcessFunction):
    def process_element(self, value, ctx: "ProcessFunction.Context"):
        yield f"{value}: {ctx.timestamp()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2]).process(Label(), output_type=Types.STRING()).print()
env.execute()
