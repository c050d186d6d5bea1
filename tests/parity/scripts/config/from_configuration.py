from pyflink.common import Configuration, Types
from pyflink.datastream import StreamExecutionEnvironment

config = Configuration()
config.set_string("pipeline.name", "mine").set_integer("parallelism.default", 2)
env = StreamExecutionEnvironment.get_execution_environment(config)
print(env.get_parallelism())
env.set_parallelism(1)
env.from_collection([1, 2], type_info=Types.INT()).print()
env.execute()
