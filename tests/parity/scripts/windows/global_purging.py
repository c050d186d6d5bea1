from pyflink.common import Types
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import CountTrigger, GlobalWindows, PurgingTrigger


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {list(elements)}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([1, 2, 3, 4, 5], type_info=Types.INT())
windows = data.key_by(lambda d: "k").window(GlobalWindows.create())
windows.trigger(PurgingTrigger.of(CountTrigger.of(2))).process(Show(), Types.STRING()).print()
env.execute()
