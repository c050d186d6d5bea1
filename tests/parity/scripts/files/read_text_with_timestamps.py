import os
from pathlib import Path

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat
from pyflink.datastream.window import TumblingEventTimeWindows


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(value.split(",")[1])


Path("in.csv").write_text("a,1\na,2\nb,7\na,12\n")
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), os.path.abspath("in.csv")).build()
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Own())
counts = (
    env.from_source(source, WatermarkStrategy.no_watermarks(), "lines")
    .assign_timestamps_and_watermarks(strategy)
    .map(lambda line: (line.split(",")[0], 1), output_type=Types.TUPLE([Types.STRING(), Types.INT()]))
    .key_by(lambda p: p[0])
    .window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
)
counts.reduce(lambda a, b: (a[0], a[1] + b[1])).print()
env.execute()
