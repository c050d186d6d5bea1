from pyflink.common import Types
from pyflink.datastream import ProcessFunction, RuntimeContext, StreamExecutionEnvironment


class Tell(ProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        c = runtime_context
        self.said = f"{c.get_number_of_parallel_subtasks()} {c.get_index_of_this_subtask()} {c.get_attempt_number()}"

    def process_element(self, value, ctx):
        yield f"{value} {self.said}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1], type_info=Types.INT()).process(Tell(), output_type=Types.STRING()).name("tell").print()
env.execute()
