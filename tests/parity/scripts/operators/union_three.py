# parity: any order

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
streams = [env.from_collection([name + str(i) for i in range(2)], Types.STRING()) for name in "abc"]
streams[0].union(*streams[1:]).print()
env.execute()
