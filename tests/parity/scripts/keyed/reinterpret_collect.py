from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([("a", 1), ("a", 2)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
for result in pairs.key_by(lambda p: p[0]).sum(1).execute_and_collect():
    print(repr(result))
