import os

from pyflink.common import Encoder, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink, OutputFileConfig, RollingPolicy

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
sink = FileSink.for_row_format(os.path.abspath("out"), Encoder.simple_string_encoder())
sink = (
    sink.with_output_file_config(OutputFileConfig.builder().with_part_prefix("pre").with_part_suffix(".txt").build())
    .with_rolling_policy(RollingPolicy.default_rolling_policy())
    .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
    .build()
)
env.from_collection(["a", "b", "c"], type_info=Types.STRING()).sink_to(sink)
env.execute()
