import datetime
from decimal import Decimal

from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
values = [datetime.date(2024, 1, 2), datetime.time(3, 4, 5), datetime.datetime(2024, 1, 2, 3, 4, 5), Decimal("1.50")]
env.from_collection(values).map(lambda v: v).print()
env.execute()
