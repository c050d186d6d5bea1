import os

from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), os.path.abspath("missing.txt")).build()
env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").print()
env.execute()
