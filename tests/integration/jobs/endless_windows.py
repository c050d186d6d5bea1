"""Windows over an endless sequence, written to files."""

import sys

from datastream import Duration, StreamExecutionEnvironment, TumblingEventTimeWindows, WatermarkStrategy
from datastream.connectors.files import FileSink
from datastream.formats import Encoder
from datastream.time import Time, TimestampAssigner


class Counted(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return 1_700_000_000_000 + value


env = StreamExecutionEnvironment.get_execution_environment()
times = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(Counted())
numbers = env.from_sequence(0, 10**12).filter(lambda n: n % 2 == 0).assign_timestamps_and_watermarks(times)
windows = numbers.key_by(lambda n: n % 10).window(TumblingEventTimeWindows.of(Time.seconds(10)))
sums = windows.reduce(lambda a, b: a + b).map(str)
sums.sink_to(FileSink.for_row_format(sys.argv[1], Encoder.simple_string_encoder()).build())
env.execute("endless")
