from pyflink.datastream import MapFunction, RuntimeContext, StreamExecutionEnvironment


class Scale(MapFunction):
    def open(self, runtime_context: RuntimeContext):
        self.factor = 10
        self.subtask = runtime_context.get_index_of_this_subtask()

    def map(self, value):
        return value * self.factor, self.subtask


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2, 3]).map(Scale()).print()
env.execute()
