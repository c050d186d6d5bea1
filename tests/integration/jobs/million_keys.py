"""Counts the records of each of a million keys; ``--shape after`` is the same job, changed.

It has twice the parallelism, an operator more, one less, and another exchange before the counts.
"""

import argparse
import operator

from pyflink.common import Encoder, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink
from pyflink.datastream.state import ValueStateDescriptor

parser = argparse.ArgumentParser()
parser.add_argument("output")
parser.add_argument("--shape", choices=("before", "after"), default="before")
parser.add_argument("--keys", type=int, required=True)
parser.add_argument("--records", type=int, required=True)
args = parser.parse_args()


class Count(KeyedProcessFunction):
    """Counts the records of a key; says so for some of them."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        if value % 100_000 == 0:
            yield f"{value},{count}"


class Seen(KeyedProcessFunction):
    """Passes all on; knows the last."""

    def open(self, runtime_context):
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.LONG()))

    def process_element(self, value, ctx):
        self.last.update(value)
        yield value


env = StreamExecutionEnvironment.get_execution_environment()
after = args.shape == "after"
env.set_parallelism(4 if after else 2)
keys = args.keys
numbers = env.from_sequence(1, args.records).uid("numbers").map(lambda n: n % keys)
if after:
    numbers = numbers.key_by(lambda n: n % 97).process(Seen()).uid("seen")
counts = numbers.key_by(lambda n: n).process(Count()).uid("counts")
if not after:
    pairs = numbers.map(lambda n: (n % 1000, 1)).key_by(operator.itemgetter(0))
    counts = counts.union(
        pairs.reduce(lambda a, b: (a[0], a[1] + b[1])).uid("rest").filter(lambda pair: False).map(str)
    )
sink = FileSink.for_row_format(args.output, Encoder.simple_string_encoder()).build()
counts.sink_to(sink).uid("files")
env.execute("a million keys")
