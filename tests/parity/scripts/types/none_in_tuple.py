from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pair = Types.TUPLE([Types.STRING(), Types.INT()])
env.from_collection([("a", 1), ("b", 2)], type_info=pair).map(lambda p: (p[0], None), output_type=pair).print()
env.execute()
