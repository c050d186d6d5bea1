from pyflink.common import Types
from pyflink.datastream import FlatMapFunction, StreamExecutionEnvironment


class Twice(FlatMapFunction):
    def flat_map(self, value):
        for i in range(2):
            yield value, i


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a", "b"]).flat_map(Twice(), Types.TUPLE([Types.STRING(), Types.INT()])).print()
env.execute()
