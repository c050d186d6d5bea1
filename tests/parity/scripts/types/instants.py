from pyflink.common import Instant, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
moments = env.from_collection([Instant.of_epoch_milli(0), Instant.of_epoch_milli(1234567)], type_info=Types.INSTANT())
moments.map(lambda i: Instant.of_epoch_milli(i.to_epoch_milli() + 1), output_type=Types.INSTANT()).print()
env.execute()
