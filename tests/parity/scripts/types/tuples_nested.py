from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
nested = Types.TUPLE([Types.STRING(), Types.TUPLE([Types.INT(), Types.DOUBLE()])])
env.from_collection([("a", (1, 2.5))], type_info=nested).map(lambda t: t, output_type=nested).print()
env.execute()
