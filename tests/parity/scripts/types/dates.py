import datetime

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
days = env.from_collection([datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)], type_info=Types.SQL_DATE())
days.map(lambda d: d + datetime.timedelta(days=1), output_type=Types.SQL_DATE()).print()
env.execute()
