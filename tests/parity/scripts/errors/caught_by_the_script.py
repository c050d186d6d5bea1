from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 0]).map(lambda x: 1 / x).print()
try:
    env.execute()
except Exception as error:
    print("ZeroDivisionError" in str(error))
