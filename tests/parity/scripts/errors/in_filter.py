from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([{"a": 1}, {}]).filter(lambda d: d["a"] > 0).print()
env.execute()
