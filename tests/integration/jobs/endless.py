"""Never ends: 1,000 records a second, counted by key."""

from pyflink.datastream import StreamExecutionEnvironment

from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
source = DataGeneratorSource(lambda i: (i % 10, 1), rate_per_second=1000)
stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "ticks")
counts = stream.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
counts.sink_to(DiscardingSink())
env.execute("endless")
