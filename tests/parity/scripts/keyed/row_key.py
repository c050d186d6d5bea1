from pyflink.common import Row
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("b", 2), ("a", 3)])
data.key_by(lambda p: Row(p[0], "x")).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
env.execute()
