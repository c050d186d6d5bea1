from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a", "bb"]).map(lambda s: (s, len(s), None, 1.5, True)).print()
env.execute()
