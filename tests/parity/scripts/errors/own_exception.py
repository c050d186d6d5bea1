from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


class TooLarge(Exception):
    pass


def check(value):
    if value > 2:
        raise TooLarge(f"{value} is too large")
    return value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2, 3], type_info=Types.INT()).map(check, output_type=Types.INT()).print()
env.execute()
