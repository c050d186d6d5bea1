from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
stream = env.from_collection([1, "a", (1, "x"), [1, 2], {"k": 1}, 2.5, b"b"]).map(lambda x: x)
with stream.execute_and_collect() as results:
    for value in results:
        print(repr(value))
