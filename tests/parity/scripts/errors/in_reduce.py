from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([("a", 1), ("a", "x")]).key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
env.execute()
