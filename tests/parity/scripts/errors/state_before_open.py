from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Wrong(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield self.count.value()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1]).key_by(lambda x: x).process(Wrong()).print()
env.execute()
