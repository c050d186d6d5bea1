"""A job beside packages whose names are those of folders in this project's own checkout."""

from connectors.thermometer import Thermometer

from datastream import StreamExecutionEnvironment
from services import rounding
from tests.ranges import plausible

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
readings = env.from_sequence(1, 100).map(Thermometer()).filter(plausible).map(rounding.to_degrees)
warmest = readings.key_by(rounding.parity).reduce(rounding.warmer)
with warmest.execute_and_collect() as results:
    print(f"warmest {max(results)}")
