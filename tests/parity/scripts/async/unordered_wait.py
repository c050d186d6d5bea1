# parity: any order

import asyncio

from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment


class Square(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(0.01)
        return [value * value]

    def timeout(self, value):
        return [-1]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3], type_info=Types.INT())
AsyncDataStream.unordered_wait(numbers, Square(), Time.seconds(10), 2, Types.INT()).print()
env.execute()
