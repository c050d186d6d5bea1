from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment


class Even(AsyncFunction):
    async def async_invoke(self, value):
        return [value] if value % 2 == 0 else []

    def timeout(self, value):
        return []


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3, 4], type_info=Types.INT())
AsyncDataStream.ordered_wait(numbers, Even(), Time.seconds(10), 10, Types.INT()).print()
env.execute()
