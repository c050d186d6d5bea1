from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
maps = env.from_collection([3, 6, 12]).map(
    lambda n: {str(i * 7919): i for i in range(n)}, Types.MAP(Types.STRING(), Types.INT())
)
maps.print()
env.execute()
env.from_collection([1.4e-45, 2.8e-45, -9.8e-45, 1e-40], Types.FLOAT()).map(lambda x: x, Types.FLOAT()).print()
env.execute()
