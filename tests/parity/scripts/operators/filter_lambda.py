from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(range(10)).filter(lambda x: x % 3 == 0).print()
env.execute()
