from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment, WindowFunction


class Show(WindowFunction):
    def apply(self, key, window, inputs):
        yield f"{key} {sorted(i for i in inputs)}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3, 4, 5, 6], type_info=Types.INT())
data.key_by(lambda d: "all").count_window(4, 2).apply(Show(), Types.STRING()).print()
env.execute()
