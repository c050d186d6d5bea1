from pyflink.common import Row
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([Row(1, "a"), Row(name="ann", age=3)]).map(lambda r: r).print()
env.execute()
