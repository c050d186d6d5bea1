from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
for kind in (Types.BYTE(), Types.SHORT(), Types.INT(), Types.LONG()):
    print(kind, env.from_collection([1, -128, 0], type_info=kind).map(lambda x: x, kind).execute_and_collect(limit=3))
