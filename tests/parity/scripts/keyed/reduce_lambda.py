from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([("a", 1), ("b", 2), ("a", 3)])
pairs.key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
env.execute()
