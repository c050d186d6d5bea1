from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


def parse(line):
    for word in line.split():
        yield int(word)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["1 2", "3 x"], type_info=Types.STRING()).flat_map(parse, output_type=Types.INT()).print()
env.execute()
