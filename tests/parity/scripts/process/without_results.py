from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Quiet(KeyedProcessFunction):
    def process_element(self, value, ctx):
        pass


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2]).key_by(lambda x: x).process(Quiet()).print()
env.execute()
print("done")
