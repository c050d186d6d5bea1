from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([("a", 1), "b"]).key_by(lambda p: p["key"]).reduce(lambda a, b: a).print()
env.execute()
