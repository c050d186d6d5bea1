from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
records = env.from_collection([1, 2, 3], Types.INT()).execute_and_collect()
print(next(records))
records.close()
print(list(records))
