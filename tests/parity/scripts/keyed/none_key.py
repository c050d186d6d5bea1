from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([("a", 1), (None, 2), (None, 3)]).key_by(lambda d: d[0]).sum(1).print()
env.execute()
