from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([([1, 2], 1), ([1], 2), ([1, 2], 3)])
data.key_by(lambda d: d[0]).reduce(lambda x, y: (x[0], x[1] + y[1])).print()
env.execute()
