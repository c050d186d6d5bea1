from pyflink.datastream import StreamExecutionEnvironment


def evens(x):
    if x % 2 == 0:
        return [x, -x]
    return []


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2, 3, 4]).flat_map(evens).print()
env.execute()
