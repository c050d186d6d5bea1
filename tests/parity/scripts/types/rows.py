from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
row = Types.ROW([Types.INT(), Types.STRING()])
env.from_collection([(1, "a"), (2, None), Row(3, "c")], type_info=row).print()
env.execute()
