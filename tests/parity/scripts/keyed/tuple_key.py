from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1, 10), ("a", 2, 20), ("a", 1, 30)])
data.key_by(lambda d: (d[0], d[1])).reduce(lambda x, y: (x[0], x[1], x[2] + y[2])).print()
env.execute()
