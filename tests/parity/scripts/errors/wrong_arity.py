from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pair = Types.TUPLE([Types.STRING(), Types.INT()])
env.from_collection([1], type_info=Types.INT()).map(lambda x: ("a",), output_type=pair).print()
env.execute()
