from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
values = env.from_collection([1, 2]).map(lambda n: {"n": n, "all": [n, (n, {n})]})
for value in values.execute_and_collect():
    print(value)
