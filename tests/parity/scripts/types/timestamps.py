import datetime

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
moments = [datetime.datetime(2024, 2, 29, 12, 30, 15, 123000), datetime.datetime(1970, 1, 1)]
stream = env.from_collection(moments, type_info=Types.SQL_TIMESTAMP())
stream.map(lambda t: t + datetime.timedelta(hours=1), output_type=Types.SQL_TIMESTAMP()).print()
env.execute()
