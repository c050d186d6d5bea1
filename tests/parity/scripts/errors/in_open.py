from pyflink.datastream import MapFunction, StreamExecutionEnvironment


class Fails(MapFunction):
    def open(self, runtime_context):
        raise RuntimeError("cannot open")

    def map(self, value):
        return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1]).map(Fails()).print()
env.execute()
