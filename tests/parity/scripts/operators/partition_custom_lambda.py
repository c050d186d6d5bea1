# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
pairs = env.from_collection([(0, "a"), (1, "b"), (2, "c")], type_info=Types.ROW([Types.INT(), Types.STRING()]))
pairs.partition_custom(lambda key, n: key % n, lambda row: row[0]).map(lambda row: row[1], Types.STRING()).print()
env.execute()
