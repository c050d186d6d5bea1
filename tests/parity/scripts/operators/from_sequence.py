from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_source(NumberSequenceSource(1, 5), WatermarkStrategy.no_watermarks(), "sequence", Types.LONG())
numbers.map(lambda x: x * x, output_type=Types.LONG()).print()
env.execute()
