from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Fails(KeyedProcessFunction):
    def process_element(self, value, ctx):
        assert value < 3, "three is too much"
        yield value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2, 3], type_info=Types.INT()).key_by(lambda x: 0).process(Fails(), Types.INT()).print()
env.execute()
