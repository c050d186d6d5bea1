from pyflink.datastream import StreamExecutionEnvironment

lock = __import__("threading").Lock()


def locked(value):
    with lock:
        return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1]).map(locked).print()
env.execute()
