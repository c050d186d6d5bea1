from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Key(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield repr(ctx.get_current_key())


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
keyed = env.from_collection([None, "a"]).key_by(lambda d: d, key_type=Types.STRING())
keyed.process(Key(), Types.STRING()).print()
env.execute()
