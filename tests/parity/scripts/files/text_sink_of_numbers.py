import os

from pyflink.common import Encoder, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
sink = FileSink.for_row_format(os.path.abspath("out"), Encoder.simple_string_encoder("UTF-8"))
sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
env.from_collection([1, 2], type_info=Types.INT()).map(lambda x: x / 3, output_type=Types.DOUBLE()).sink_to(sink)
env.execute()
