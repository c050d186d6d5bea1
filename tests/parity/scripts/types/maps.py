from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
ages = Types.MAP(Types.STRING(), Types.INT())
env.from_collection([{"ann": 30}, {}], type_info=ages).map(lambda m: {**m, "bob": 1}, output_type=ages).print()
env.execute()
