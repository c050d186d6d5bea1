import asyncio

from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment


class Never(AsyncFunction):
    async def async_invoke(self, value):
        if value == 2:
            await asyncio.sleep(60)
        return [value]

    def timeout(self, value):
        return [-value]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3], type_info=Types.INT())
AsyncDataStream.ordered_wait(numbers, Never(), Time.seconds(2), 10, Types.INT()).print()
env.execute()
