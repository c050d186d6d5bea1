from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([{"ann": 30, "bob": None}, {}]).map(lambda m: m).print()
env.execute()
