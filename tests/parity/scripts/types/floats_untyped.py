from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1.0, 0.1, 1e-7, 1e22, float("inf"), float("nan")]).map(lambda x: x).print()
env.execute()
