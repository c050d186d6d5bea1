import datetime
import os
from pathlib import Path

from pyflink.common import Encoder, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink


def folders():
    time_ = datetime.datetime.now(datetime.UTC).strftime("%Y")
    return [path.name == time_ for path in Path("days").glob("[!.]*")]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
sink = FileSink.for_row_format(os.path.abspath("days"), Encoder.simple_string_encoder())
sink = sink.with_bucket_assigner(BucketAssigner.date_time_bucket_assigner("yyyy", "UTC")).build()
env.from_collection(["a", "b"], type_info=Types.STRING()).sink_to(sink)
env.execute()
print(folders())
