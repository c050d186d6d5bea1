from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
people = env.from_collection(
    [(1, "ann", 30.5), (2, "bob", 40.0)], type_info=Types.TUPLE([Types.INT(), Types.STRING(), Types.DOUBLE()])
)
people.project(1, 0).print()
env.execute()
