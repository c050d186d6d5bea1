from decimal import Decimal

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
prices = env.from_collection([Decimal("1.10"), Decimal("123456789.123456789")], type_info=Types.BIG_DEC())
for price in prices.map(lambda p: p, output_type=Types.BIG_DEC()).execute_and_collect():
    print(repr(price))
