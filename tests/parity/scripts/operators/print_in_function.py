from pyflink.common import Types
from pyflink.datastream import MapFunction, StreamExecutionEnvironment


class Tell(MapFunction):
    def open(self, runtime_context):
        print("opened")

    def map(self, value):
        print("mapping", value)
        return value + 1

    def close(self):
        print("closed")


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
list(env.from_collection([1, 2], type_info=Types.INT()).map(Tell(), Types.INT()).execute_and_collect())
