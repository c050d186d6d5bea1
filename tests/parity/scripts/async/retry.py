from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment
from pyflink.datastream.async_retry_predicates import has_exception_predicate
from pyflink.datastream.async_retry_strategies import FixedDelayRetryStrategy


class Unsure(AsyncFunction):
    def open(self, runtime_context):
        self.tries = {}

    async def async_invoke(self, value):
        self.tries[value] = self.tries.get(value, 0) + 1
        if self.tries[value] < 3:
            raise ValueError("not yet")
        return [(value, self.tries[value])]

    def timeout(self, value):
        return [(value, -1)]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2], type_info=Types.INT())
strategy = FixedDelayRetryStrategy(5, 10, None, has_exception_predicate)
AsyncDataStream.ordered_wait_with_retry(
    numbers, Unsure(), Time.seconds(10), strategy, 10, Types.TUPLE([Types.INT(), Types.INT()])
).print()
env.execute()
