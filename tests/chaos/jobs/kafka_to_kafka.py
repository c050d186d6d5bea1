"""Kafka to Kafka, exactly once: running counts by key, a map, or counts in windows of event time."""

import argparse

from ends import with_failures
from pyflink.common import SimpleStringSchema, Time, WatermarkStrategy
from pyflink.datastream import AggregateFunction, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from pyflink.datastream.window import TumblingEventTimeWindows

from datastream.formats import SerializationSchema

parser = argparse.ArgumentParser()
parser.add_argument("job", choices=("count", "map", "window"))
parser.add_argument("brokers")
parser.add_argument("input")
parser.add_argument("output")
parser.add_argument("--window-ms", type=int, default=10_000)
parser.add_argument("--failures")
args = parser.parse_args()


class FirstField(SerializationSchema):
    """The text before the first comma."""

    def serialize(self, value):
        return value.partition(",")[0].encode()


class Count(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a + b


class WithWindow(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key},{context.window().start},{next(iter(elements))}"


def counted(line):
    key, _, number = line.partition(",")
    return key, 1, int(number)


def add(old, new):
    return old[0], old[1] + 1, new[2]


def key_of(line):
    return line.partition(",")[0]


source = (
    KafkaSource.builder()
    .set_bootstrap_servers(args.brokers)
    .set_topics(args.input)
    .set_group_id(f"readers-for-{args.output}")
    .set_starting_offsets(KafkaOffsetsInitializer.earliest())
    .set_bounded(KafkaOffsetsInitializer.latest())
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)
serializer = (
    KafkaRecordSerializationSchema.builder()
    .set_topic(args.output)
    .set_key_serialization_schema(FirstField())
    .set_value_serialization_schema(SimpleStringSchema())
    .build()
)
sink = (
    KafkaSink.builder()
    .set_bootstrap_servers(args.brokers)
    .set_record_serializer(serializer)
    .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    .set_transactional_id_prefix(f"writers-of-{args.output}")
    .build()
)

env = StreamExecutionEnvironment.get_execution_environment()
watermarks = WatermarkStrategy.no_watermarks()
if args.job == "window":
    watermarks = WatermarkStrategy.for_monotonous_timestamps()
lines = env.from_source(source, watermarks, "input").uid("input")
if args.job == "count":
    counts = lines.map(counted).key_by(lambda record: record[0]).reduce(add).uid("counts")
    results = counts.map(lambda record: f"{record[0]},{record[1]},{record[2]}")
elif args.job == "map":
    results = lines.map(lambda line: ",".join(line.split(",")))
else:
    windows = lines.key_by(key_of).window(TumblingEventTimeWindows.of(Time.milliseconds(args.window_ms)))
    results = windows.aggregate(Count(), WithWindow()).uid("windows")
results.sink_to(with_failures(sink, args.failures)).uid("output")
env.execute(f"chaos: {args.job}")
