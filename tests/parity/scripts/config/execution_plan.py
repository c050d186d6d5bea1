import json

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2], type_info=Types.INT()).map(lambda x: x, Types.INT()).name("same").key_by(
    lambda x: x
).reduce(lambda a, b: a + b).name("sum").print().name("out")
print(sorted(json.loads(env.get_execution_plan()).keys()))
