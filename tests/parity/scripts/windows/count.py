from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment, WindowFunction


class Sum(WindowFunction):
    def apply(self, key, window, inputs):
        result = 0
        for i in inputs:
            result += i[0]
        return [(key, result)]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([(1, "hi"), (2, "hello"), (3, "hi"), (4, "hello"), (5, "hi")])
windows = data.key_by(lambda d: d[1], key_type=Types.STRING()).count_window(2)
windows.apply(Sum(), Types.TUPLE([Types.STRING(), Types.INT()])).print()
env.execute()
