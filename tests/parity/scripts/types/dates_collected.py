import datetime

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
days = env.from_collection([datetime.date(2024, 1, 2)], type_info=Types.SQL_DATE())
print(days.execute_and_collect(limit=1))
times = env.from_collection([datetime.time(3, 4, 5)], type_info=Types.SQL_TIME())
print(times.execute_and_collect(limit=1))
