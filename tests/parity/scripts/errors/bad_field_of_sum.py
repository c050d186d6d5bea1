from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([("a", 1)], type_info=Types.TUPLE([Types.STRING(), Types.INT()])).key_by(lambda p: p[0]).sum(
    5
).print()
env.execute()
