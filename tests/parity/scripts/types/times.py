import datetime

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
times = env.from_collection([datetime.time(12, 30, 15), datetime.time(0, 0)], type_info=Types.SQL_TIME())
times.map(lambda t: t, output_type=Types.SQL_TIME()).print()
env.execute()
