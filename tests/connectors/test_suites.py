"""Kafka's source and sink and the connectors of local files in the suites that every connector has to pass."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from pathlib import Path

import pytest

from datastream.connectors.dynamic_kafka import DynamicKafkaSource, SingleClusterTopicMetadataService
from datastream.connectors.files import FileSink, FileSource, StreamFormat
from datastream.connectors.files.appended import AppendedFileSink
from datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from datastream.formats import Encoder, SimpleStringSchema
from datastream.io import Source
from datastream.testing.conformance import SinkConformance, SourceConformance
from tests.support.servers.kafka import Broker

#: Nobody listens there.
AWAY = "127.0.0.1:9"


class TestFileSource(SourceConformance):
    expected = [f"{file}-{line}" for file in range(4) for line in range(5)]
    most = None
    ordered = False

    def create(self, folder: Path) -> FileSource:
        files = folder / "in"
        files.mkdir()
        for file in range(4):
            (files / f"{file}.txt").write_text("".join(f"{file}-{line}\n" for line in range(5)))
        return FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(files)).build()


class TestFileSink(SinkConformance):
    def create(self, folder: Path) -> FileSink:
        return FileSink.for_row_format(str(folder / "out"), Encoder.simple_string_encoder()).build()

    def record(self, number: int) -> str:
        return f"r{number}"

    def written(self, folder: Path) -> Iterable[str]:
        files = [path for path in (folder / "out").rglob("*") if path.is_file() and not _hidden(path, folder)]
        return [line for path in files for line in path.read_text().splitlines()]


class TestAppendedFileSink(SinkConformance):
    def create(self, folder: Path) -> AppendedFileSink:
        return AppendedFileSink(str(folder / "out"), Encoder.simple_string_encoder())

    def record(self, number: int) -> str:
        return f"r{number}"

    def written(self, folder: Path) -> Iterable[str]:
        file = folder / "out"
        return file.read_text().splitlines() if file.exists() else []


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


@pytest.mark.long
class TestKafkaSource(SourceConformance):
    secrets = ("s3cret",)
    expected = [f"r{number}" for number in range(9)]
    ordered = False

    @pytest.fixture(autouse=True)
    def _broker(self, kafka: Broker) -> None:
        self.kafka = kafka

    def create(self, folder: Path) -> Source:
        topic = self.kafka.topic(partitions=2)
        for partition, records in enumerate((self.expected[:6], self.expected[6:])):
            self.kafka.produce(topic, records, partition=partition)
        return self.of(self.kafka.bootstrap, topic)

    def unreachable(self) -> Source:
        return self.of(AWAY, "away")

    def of(self, servers: str, topic: str) -> Source:
        builder = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic).set_group_id("suite")
        builder.set_starting_offsets(KafkaOffsetsInitializer.earliest())
        builder.set_bounded(KafkaOffsetsInitializer.latest()).set_property("ssl.key.password", "s3cret")
        return builder.set_value_only_deserializer(SimpleStringSchema()).build()


class TestDynamicKafkaSource(TestKafkaSource):
    at_once = 3

    def of(self, servers: str, topic: str) -> Source:
        service = SingleClusterTopicMetadataService("suite", {"bootstrap.servers": servers})
        builder = DynamicKafkaSource.builder().set_stream_ids([topic]).set_kafka_metadata_service(service)
        builder.set_starting_offsets(KafkaOffsetsInitializer.earliest())
        builder.set_bounded(KafkaOffsetsInitializer.latest()).set_property("ssl.key.password", "s3cret")
        return builder.set_value_only_deserializer(SimpleStringSchema()).build()


@pytest.mark.long
class TestKafkaSink(SinkConformance):
    secrets = ("s3cret",)

    @pytest.fixture(autouse=True)
    def _broker(self, kafka: Broker) -> None:
        self.kafka = kafka
        self.topics: dict[Path, str] = {}

    def record(self, number: int) -> str:
        return f"r{number}"

    def create(self, folder: Path) -> KafkaSink:
        topic = self.topics.setdefault(folder, self.kafka.topic())
        return self.of(self.kafka.bootstrap, topic)

    def written(self, folder: Path) -> Iterable[str]:
        return [record.value.decode() for record in self.kafka.read(self.topics[folder])]

    def unreachable(self) -> KafkaSink:
        return self.of(AWAY, "away")

    def of(self, servers: str, topic: str) -> KafkaSink:
        schema = KafkaRecordSerializationSchema.builder().set_topic(topic)
        schema.set_value_serialization_schema(SimpleStringSchema())
        builder = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
        builder.set_property("ssl.key.password", "s3cret").set_transactional_id_prefix(f"c{uuid.uuid4().hex[:8]}")
        return builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).build()
