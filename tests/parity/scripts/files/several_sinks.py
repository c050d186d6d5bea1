import os

from pyflink.common import Encoder, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3, 4], type_info=Types.INT()).map(str, output_type=Types.STRING())
for name, keep in (("out-odd", ("1", "3")), ("out-even", ("2", "4"))):
    sink = FileSink.for_row_format(os.path.abspath(name), Encoder.simple_string_encoder())
    sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
    numbers.filter(lambda x, keep=keep: x in keep).sink_to(sink)
env.execute()
