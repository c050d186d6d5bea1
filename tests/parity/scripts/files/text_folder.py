# parity: any order

import os
from pathlib import Path

from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat

Path("in").mkdir()
for name in ("a", "b", ".hidden", "_hidden"):
    Path("in", name).write_text(f"line of {name}\n")
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), os.path.abspath("in"))
source = source.process_static_file_set().build()
env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").map(str.upper, Types.STRING()).print()
env.execute()
