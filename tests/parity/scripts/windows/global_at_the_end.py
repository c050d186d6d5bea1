from pyflink.common import Types
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import GlobalWindows


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {list(elements)}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3], type_info=Types.INT())
data.key_by(lambda d: "k").window(GlobalWindows.create()).process(Show(), Types.STRING()).print()
env.execute()
print("done")
