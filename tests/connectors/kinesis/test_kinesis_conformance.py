"""Kinesis: with a crash before and after every call, on a real server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from datastream.connectors.kinesis import (
    ConsumerConfigConstants,
    KinesisFirehoseSink,
    KinesisStreamsSink,
    KinesisStreamsSource,
    PartitionKeyGenerator,
)
from datastream.formats import SimpleStringSchema
from datastream.io import Backoff
from datastream.testing.conformance import SinkConformance, SourceConformance
from tests.support.servers.kinesis import SECRET, KinesisServer

NO_PAUSE = ConsumerConfigConstants.SHARD_GETRECORDS_INTERVAL_MILLIS
AWAY = KinesisServer("http://127.0.0.1:9")


def source(server: KinesisServer, stream: str) -> KinesisStreamsSource:
    builder = KinesisStreamsSource.builder().set_stream_arn(stream).set_deserialization_schema(SimpleStringSchema())
    builder.set_source_config({**server.properties, "source.init.position": "TRIM_HORIZON", NO_PAUSE: "0"})
    return builder.set_bounded().build()


@pytest.mark.long
@pytest.mark.timeout(300)
class TestKinesisSource(SourceConformance):
    secrets = (SECRET,)
    expected = [f"r{number}" for number in range(5)]
    ordered = False
    budget = 2
    most = 2

    @pytest.fixture(autouse=True)
    def _server(self, kinesis: KinesisServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server, self.name = kinesis, ""
        monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here

    def create(self, folder: Path) -> KinesisStreamsSource:
        if not self.name:  # reading changes nothing
            self.name = self.server.stream(2)
            self.server.put(self.name, [(record, record.encode()) for record in self.expected[:3]])
            self.server.split(self.name)
            self.server.put(self.name, [(record, record.encode()) for record in self.expected[3:]])
        return source(self.server, self.name)

    def unreachable(self) -> KinesisStreamsSource:
        found = source(AWAY, "away")
        found.settings = replace(found.settings, backoff=Backoff(retries=1, initial_ms=1))
        return found


@pytest.mark.long
@pytest.mark.timeout(300)
class TestKinesisStreamsSink(SinkConformance):
    secrets = (SECRET,)
    exactly_once = False

    @pytest.fixture(autouse=True)
    def _server(self, kinesis: KinesisServer) -> None:
        self.server = kinesis
        self.streams: dict[Path, str] = {}

    def record(self, number: int) -> str:
        return f"r{number}"

    def create(self, folder: Path) -> KinesisStreamsSink:
        if folder not in self.streams:
            self.streams[folder] = self.server.stream()
        return self.of(self.server, self.streams[folder])

    def written(self, folder: Path) -> Iterable[str]:
        return [data.decode() for data in self.server.contents(self.streams[folder])]

    def unreachable(self) -> KinesisStreamsSink:
        sink = self.of(AWAY, "away")
        sink.backoff = Backoff(retries=1, initial_ms=1)
        return sink

    def of(self, server: KinesisServer, stream: str) -> KinesisStreamsSink:
        builder = KinesisStreamsSink.builder().set_serialization_schema(SimpleStringSchema()).set_stream_name(stream)
        builder.set_partition_key_generator(PartitionKeyGenerator.random())
        return builder.set_kinesis_client_properties(server.properties).build()


@pytest.mark.long
@pytest.mark.timeout(300)
class TestKinesisFirehoseSink(SinkConformance):
    secrets = (SECRET,)
    exactly_once = False

    @pytest.fixture(autouse=True)
    def _server(self, moto: KinesisServer) -> Iterator[None]:
        self.server = moto
        self.streams: dict[Path, str] = {}
        yield
        self.end_streams()

    def record(self, number: int) -> str:
        return f"r{number}\n"

    def create(self, folder: Path) -> KinesisFirehoseSink:
        if folder not in self.streams:
            self.end_streams()  # an account has few; trials come one after the other
            self.streams[folder] = self.server.delivery_stream()
        return self.of(self.server, self.streams[folder])

    def end_streams(self) -> None:
        client = self.server.boto("firehose")
        for name in client.list_delivery_streams(Limit=100)["DeliveryStreamNames"]:
            if name in self.streams.values():
                client.delete_delivery_stream(DeliveryStreamName=name)

    def written(self, folder: Path) -> Iterable[str]:
        return self.server.delivered(self.streams[folder]).splitlines(keepends=True)

    def unreachable(self) -> KinesisFirehoseSink:
        sink = self.of(AWAY, "away")
        sink.backoff = Backoff(retries=1, initial_ms=1)
        return sink

    def of(self, server: KinesisServer, stream: str) -> KinesisFirehoseSink:
        builder = KinesisFirehoseSink.builder().set_serialization_schema(SimpleStringSchema())
        builder.set_delivery_stream_name(stream)
        return builder.set_firehose_client_properties(server.properties).build()
