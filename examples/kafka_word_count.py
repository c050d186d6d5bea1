"""Counts words from Kafka to Kafka, exactly once, in PyFlink's own style.

datastream run examples/kafka_word_count.py --source lines --sink counts --bounded
datastream run --checkpoint-dir /tmp/counts examples/kafka_word_count.py --source lines --sink counts
"""

import argparse

from pyflink.common import Row, SerializationSchema, SimpleStringSchema, Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from pyflink.datastream.formats.json import JsonRowSerializationSchema

COUNT = Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.LONG()])


class Word(SerializationSchema):
    """The key: all counts of a word go to one partition, so they stay in order."""

    def serialize(self, value):
        return value.word.encode()


def word_count(servers, source_topic, sink_topic, bounded):
    lines = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(source_topic).set_group_id("word-count")
    lines.set_starting_offsets(KafkaOffsetsInitializer.earliest()).set_value_only_deserializer(SimpleStringSchema())
    if bounded:
        lines.set_bounded(KafkaOffsetsInitializer.latest())

    counts = KafkaRecordSerializationSchema.builder().set_topic(sink_topic).set_key_serialization_schema(Word())
    counts.set_value_serialization_schema(JsonRowSerializationSchema.builder().with_type_info(COUNT).build())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(counts.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix(f"counts-to-{sink_topic}")

    env = StreamExecutionEnvironment.get_execution_environment()
    words = env.from_source(lines.build(), WatermarkStrategy.no_watermarks(), "lines").uid("lines").flat_map(str.split)
    ones = words.map(lambda word: Row(word=word, count=1), COUNT).key_by(lambda row: row.word)
    running = ones.reduce(lambda a, b: Row(word=a.word, count=a.count + b.count)).uid("running")
    running.sink_to(sink.build()).name("counts").uid("counts")
    env.execute("word count from Kafka to Kafka")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Counts words from Kafka to Kafka.")
    parser.add_argument("--bootstrap-servers", default="127.0.0.1:9092", help="default: %(default)s")
    parser.add_argument("--source", default="lines", help="topic of lines of text; default: %(default)s")
    parser.add_argument("--sink", default="counts", help="topic for the counts; default: %(default)s")
    parser.add_argument("--bounded", action="store_true", help="stop at the end of the topic")
    args = parser.parse_args()
    word_count(args.bootstrap_servers, args.source, args.sink, args.bounded)
