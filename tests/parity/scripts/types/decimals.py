from decimal import Decimal

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
prices = env.from_collection([Decimal("1.10"), Decimal("-0.001"), Decimal("1E+3")], type_info=Types.BIG_DEC())
prices.map(lambda p: p * 2, output_type=Types.BIG_DEC()).print()
env.execute()
