"""Every number to one file sink; the running sum of each of 100 keys to another."""

import argparse
import operator

from pyflink.common import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink

KEYS = 100

parser = argparse.ArgumentParser()
parser.add_argument("output")
parser.add_argument("--count", type=int, default=100)
parser.add_argument("--uid", default="sums")
args = parser.parse_args()


def keyed(number):
    return number % KEYS, number


def add(a, b):
    return a[0], a[1] + b[1]


def sink(name):
    return FileSink.for_row_format(f"{args.output}/{name}", Encoder.simple_string_encoder()).build()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
numbers = env.from_sequence(1, args.count)
numbers.sink_to(sink("numbers")).uid("numbers")
sums = numbers.map(keyed).key_by(operator.itemgetter(0)).reduce(add).uid(args.uid)
sums.map(lambda pair: f"{pair[0]},{pair[1]}").sink_to(sink("sums")).uid("files of sums")
env.execute("running sums")
print("the script went on to its end")
