from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import AllWindowFunction
from pyflink.datastream.window import CountTumblingWindowAssigner


class Tell(AllWindowFunction):
    def apply(self, window, inputs):
        yield sum(inputs)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3, 4, 5], type_info=Types.INT())
data.window_all(CountTumblingWindowAssigner.of(2)).apply(Tell(), Types.INT()).print()
env.execute()
