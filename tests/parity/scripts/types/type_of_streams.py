from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2], type_info=Types.INT())
print(numbers.get_type(), numbers.map(lambda x: x).get_type(), numbers.map(str, Types.STRING()).get_type())
print(env.from_collection([(1, "a")]).get_type(), numbers.key_by(lambda x: x).reduce(lambda a, b: a).get_type())
