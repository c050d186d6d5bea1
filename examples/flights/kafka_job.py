"""The flights job from Kafka to Kafka, exactly once: the parts of `job.py` with another source and other sinks.

python examples/flights/kafka_producer.py                      (makes the topics, and writes the flights)
datastream run examples/flights/kafka_job.py --bounded
datastream run --checkpoint-dir /tmp/flights examples/flights/kafka_job.py
"""

from __future__ import annotations

import argparse
from typing import Any

from flight_json import FLIGHT, flight_of
from live import Board
from pipelines import Result, environment, lay_out
from pyflink.common import SerializationSchema, WatermarkStrategy
from pyflink.datastream import DataStream, StreamExecutionEnvironment
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from pyflink.datastream.formats.json import JsonRowDeserializationSchema
from topics import SERVERS, SOURCE, topic_of

from datastream.formats import JsonSerializationSchema


class ByName(JsonSerializationSchema):
    """A named tuple as a JSON object."""

    def serialize(self, value: Any) -> bytes:
        return super().serialize(value._asdict())


class FirstColumn(SerializationSchema):
    """A carrier, an airport or an airline: all that is said of one stays in order."""

    def serialize(self, value: Any) -> bytes:
        return value[0].encode()


def build(env: StreamExecutionEnvironment, servers: str, topic: str, bounded: bool, board: Board) -> None:
    """Lay out the job from a topic to topics, one for each result."""
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(servers)
        .set_topics(topic)
        .set_group_id(f"delays-of-{topic}")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(JsonRowDeserializationSchema.builder().type_info(FLIGHT).build())
    )
    if bounded:
        source.set_bounded(KafkaOffsetsInitializer.latest())
    rows = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "flights").uid("flights")

    def write(stream: DataStream, result: Result) -> None:
        to = topic_of(result.name, topic)
        records = (
            KafkaRecordSerializationSchema.builder()
            .set_topic(to)
            .set_key_serialization_schema(FirstColumn())
            .set_value_serialization_schema(ByName())
            .build()
        )
        sink = (
            KafkaSink.builder()
            .set_bootstrap_servers(servers)
            .set_record_serializer(records)
            .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
            .set_transactional_id_prefix(f"delays-of-{topic}")
            .build()
        )
        stream.map(result.to_row).name(f"{result.name} by column").sink_to(sink).name(f"{result.name} topic").uid(to)

    lay_out(env, rows.map(flight_of).name("flight"), write, board)


def main() -> None:
    parser = argparse.ArgumentParser(description="Delays of flights from New York City, from Kafka to Kafka.")
    parser.add_argument("--bootstrap-servers", default=SERVERS, help="default: %(default)s")
    parser.add_argument("--source", default=SOURCE, help="topic of the flights; default: %(default)s")
    parser.add_argument("--bounded", action="store_true", help="stop at the end of the topic")
    parser.add_argument("--no-live", action="store_true", help="no live table")
    args = parser.parse_args()

    board = Board(live=not args.no_live)
    env = environment(board)
    build(env, args.bootstrap_servers, args.source, args.bounded, board)
    with board:
        env.execute("flights from Kafka to Kafka")
    print(board.summary())


if __name__ == "__main__":
    main()
