from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([[1, "a"], [None, 2.0], []]).map(lambda v: v).print()
env.execute()
