from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
ages = Types.MAP(Types.STRING(), Types.LIST(Types.INT()))
print(env.from_collection([{"ann": [1]}, {}], type_info=ages).map(lambda m: m, ages).execute_and_collect(limit=2))
