import asyncio

from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment


class Slowly(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(0.3 - value * 0.1)
        return [value, value * 10]

    def timeout(self, value):
        return []


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3], type_info=Types.INT())
AsyncDataStream.ordered_wait(numbers, Slowly(), Time.seconds(10), 10, Types.INT()).print()
env.execute()
