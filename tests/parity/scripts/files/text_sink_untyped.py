import os

from pyflink.common import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
sink = FileSink.for_row_format(os.path.abspath("out"), Encoder.simple_string_encoder())
sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
env.from_collection([("a", 1), 2.0, [True]]).map(lambda v: v).sink_to(sink)
env.execute()
