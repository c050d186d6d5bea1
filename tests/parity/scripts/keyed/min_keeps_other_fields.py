from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
scores = env.from_collection([("a", 3, "x"), ("a", 1, "y"), ("a", 2, "z")])
scores.key_by(lambda s: s[0]).min(1).print()
env.execute()
