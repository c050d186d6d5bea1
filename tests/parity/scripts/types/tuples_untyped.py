from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([("a", 1, None, 1.0, True, (2, "b")), ("it's", [1], {"k": 2})]).print()
env.execute()
