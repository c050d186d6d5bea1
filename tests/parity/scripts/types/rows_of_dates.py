import datetime

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
row = Types.ROW([Types.SQL_DATE(), Types.SQL_TIME(), Types.SQL_TIMESTAMP()])
value = Row(datetime.date(2024, 1, 2), datetime.time(3, 4, 5), datetime.datetime(2024, 1, 2, 3, 4, 5, 678000))
env.from_collection([value], type_info=row).map(lambda r: r, output_type=row).print()
env.execute()
