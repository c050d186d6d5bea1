import datetime
from decimal import Decimal

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
row = Types.ROW([Types.BYTE(), Types.FLOAT(), Types.DOUBLE(), Types.BOOLEAN(), Types.BIG_DEC(), Types.SQL_DATE()])
value = Row(1, 0.5, 100.0, True, Decimal("1.50"), datetime.date(2024, 1, 2))
env.from_collection([value, Row(None, None, None, None, None, None)], type_info=row).map(lambda r: r, row).print()
env.execute()
