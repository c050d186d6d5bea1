"""Streams in topics of several clusters, which move while a job reads them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from datastream import ValidationError, WatermarkStrategy
from datastream.connectors.dynamic_kafka import (
    ClusterMetadata,
    DynamicKafkaSource,
    DynamicKafkaSourceBuilder,
    KafkaMetadataService,
    KafkaStream,
    KafkaStreamSubscriber,
    SingleClusterTopicMetadataService,
)
from datastream.connectors.kafka import KafkaFailure, KafkaOffsetsInitializer
from datastream.formats import SimpleStringSchema
from tests.support.drive import driven, read
from tests.support.kafka.sources import drain, eventually

COMMITTED = KafkaOffsetsInitializer.committed_offsets()
LATEST = KafkaOffsetsInitializer.latest()
OFTEN = {"stream-metadata-discovery-interval-ms": "1"}


class FileOfStreams(KafkaMetadataService):
    """A JSON file: stream -> cluster -> topics. All clusters are one broker. Without the file it fails."""

    def __init__(self, file: Path, bootstrap: str) -> None:
        self.file, self.bootstrap = file, bootstrap

    def get_all_streams(self) -> Collection[KafkaStream]:
        properties = {"bootstrap.servers": self.bootstrap, "client.id": "of the cluster"}
        return [
            KafkaStream(name, {each: ClusterMetadata(frozenset(topics), properties) for each, topics in where.items()})
            for name, where in json.loads(self.file.read_text()).items()
        ]

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        return {stream.stream_id: stream for stream in self.get_all_streams() if stream.stream_id in stream_ids}

    def is_cluster_active(self, kafka_cluster_id: str) -> bool:
        return kafka_cluster_id != "asleep"


class Streams:
    """Where the stream ``s`` is."""

    def __init__(self, kafka: Any, folder: Path) -> None:
        self.file = folder / "streams.json"
        self.service = FileOfStreams(self.file, kafka.bootstrap)

    def are(self, **clusters: list[str]) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps({"s": clusters}))
        new.replace(self.file)

    def builder(self) -> DynamicKafkaSourceBuilder:
        made = DynamicKafkaSource.builder().set_stream_ids({"s"}).set_kafka_metadata_service(self.service)
        return made.set_value_only_deserializer(SimpleStringSchema())


@pytest.fixture
def streams(kafka, tmp_path):
    return Streams(kafka, tmp_path)


def until(source, start, wanted):
    """Read until the records are there; the epochs may hold none, where only the streams have moved."""
    records: list[Any] = []

    def there() -> bool:
        nonlocal start, records
        end = json.loads(json.dumps(source.latest_offset(start, 1_000)))
        if end != start:
            records += read(source, start, end)
            start = end
        return len(records) >= len(wanted)

    eventually(there)
    assert sorted(records) == sorted(wanted)
    return start


def test_a_topic_by_its_name(run, kafka):
    """The example of PyFlink's documentation."""
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, [str(i) for i in range(100)])
    metadata_service = SingleClusterTopicMetadataService("cluster-a", {"bootstrap.servers": kafka.bootstrap})
    source = (
        DynamicKafkaSource.builder()
        .set_stream_ids({topic})
        .set_kafka_metadata_service(metadata_service)
        .set_value_only_deserializer(SimpleStringSchema())
        .set_bounded(LATEST)
        .build()
    )
    env = run.environment()
    got = run.collect(env.from_source(source, WatermarkStrategy.for_monotonous_timestamps(), "in").map(int))
    assert sorted(got) == list(range(100))


def test_two_clusters_of_a_stream(run, kafka, streams):
    """Partitions of equal names are lanes of their own."""
    topic = kafka.topic(partitions=2)
    for partition in (0, 1):
        kafka.produce(topic, [str(i) for i in range(partition, 50, 2)], partition=partition)
    streams.are(one=[topic], two=[topic])
    source = streams.builder().set_bounded(LATEST).set_group_id(topic).build()
    start = driven(source).initial_offset()
    assert sorted(driven(source).lanes(start)) == sorted(f"{c}:{topic}-{p}" for c in ("one", "two") for p in (0, 1))
    env = run.environment()
    got = run.collect(env.from_source(source, WatermarkStrategy.for_monotonous_timestamps(), "in").map(int))
    assert sorted(got) == sorted([*range(50), *range(50)])


def test_a_stream_moves_to_another_cluster_and_back(kafka, streams):
    old, new = kafka.topic(partitions=2), kafka.topic()
    kafka.produce(old, ["a", "b"])
    kafka.produce(new, ["c"])  # before the stream is said to be there
    streams.are(one=[old])
    source = driven(streams.builder().set_starting_offsets(LATEST).set_properties(OFTEN).build())
    start = source.initial_offset()
    assert drain(source, start)[0] == []
    kafka.produce(old, ["d"])
    start = until(source, start, ["d"])

    streams.are(one=[old], two=[new])
    start = until(source, start, ["c"])
    streams.are(two=[new])
    kafka.produce(new, ["e"])
    start = until(source, start, ["e"])
    eventually(lambda: source.lanes(source.latest_offset(start, 10)) == [f"two:{new}-0"])
    start = json.loads(json.dumps(source.latest_offset(start, 10)))
    kafka.produce(old, ["f"])

    again = driven(streams.builder().set_properties(OFTEN).build())  # the job is started again
    assert drain(again, start)[0] == []
    streams.are(one=[old], two=[new])
    start = until(again, start, ["f"])
    assert start["away"] == {}
    assert again.backlog(start) == {f"one:{old}-0": 0, f"one:{old}-1": 0, f"two:{new}-0": 0}


def test_a_topic_is_added_to_a_cluster(kafka, streams):
    first, second = kafka.topic(), kafka.topic()
    kafka.produce(first, ["a"])
    kafka.produce(second, ["b"])
    streams.are(one=[first])
    source = driven(streams.builder().set_properties(OFTEN | {"partition.discovery.interval.ms": "0"}).build())
    start = until(source, source.initial_offset(), ["a"])
    streams.are(one=[first, second])
    until(source, start, ["b"])


def test_an_epoch_is_read_again_as_it_was(kafka, streams):
    """By a driver that was started anew, after the stream has moved."""
    old, new = kafka.topic(), kafka.topic()
    kafka.produce(old, ["a"])
    kafka.produce(new, ["b"])
    streams.are(one=[old])
    source = driven(streams.builder().set_properties(OFTEN).build())
    start = source.initial_offset()
    streams.are(one=[old], two=[new])
    eventually(lambda: len(source.latest_offset(start, 10)["clusters"]) == 2)
    end = json.loads(json.dumps(source.latest_offset(start, 10)))
    assert sorted(read(source, start, end)) == ["a", "b"]

    again = driven(streams.builder().build())
    assert sorted(read(again, start, end)) == ["a", "b"]
    streams.are(two=[new])
    with pytest.raises(KafkaFailure, match="still to read the cluster 'one', which the metadata service no longer"):
        driven(streams.builder().build()).splits(start, end, 2)


def test_clusters_that_are_not_active_are_left(kafka, streams):
    here, there = kafka.topic(), kafka.topic()
    kafka.produce(here, ["a"])
    kafka.produce(there, ["b"])
    streams.are(one=[here], asleep=[there])
    source = driven(streams.builder().build())
    assert drain(source, source.initial_offset())[0] == ["a"]


def test_a_service_that_fails(kafka, streams, caplog):
    topic = kafka.topic()
    streams.are(one=[topic])
    patient = OFTEN | {"stream-metadata-discovery-failure-threshold": "3"}
    source = driven(streams.builder().set_properties(patient).build())
    start = source.initial_offset()
    streams.file.unlink()

    def fails() -> bool:
        try:
            return source.latest_offset(start, 10) != start
        except KafkaFailure as error:
            assert "metadata service FileOfStreams fails: FileNotFoundError" in str(error)
            return True

    eventually(fails)
    assert caplog.text.count("in a row, the streams are read on as they were") == 2


def test_what_is_not_there(kafka, streams, caplog):
    streams.are(one=[kafka.topic()])
    other = streams.builder
    with pytest.raises(ValidationError, match="topic '.*nope' does not exist"):
        streams.are(one=["nope"])
        other().build().validate()
    service = SingleClusterTopicMetadataService("c", {"bootstrap.servers": kafka.bootstrap})

    def matching(pattern: str) -> DynamicKafkaSourceBuilder:
        made = DynamicKafkaSource.builder().set_stream_pattern(pattern).set_kafka_metadata_service(service)
        return made.set_value_only_deserializer(SimpleStringSchema())

    matching("not-there-.*").build().validate()
    assert "knows no streams that match 'not-there-.*'; waiting" in caplog.text
    with pytest.raises(ValidationError, match="SingleClusterTopicMetadataService knows no streams that match"):
        matching("not-there-.*").set_bounded(LATEST).build().validate()
    streams.file.write_text("{}")
    with pytest.raises(ValidationError, match="FileOfStreams knows no streams s$"):
        other().build().validate()


class Refusing(KafkaStreamSubscriber):
    def get_subscribed_streams(self, kafka_metadata_service):
        raise LookupError("not today")


def test_mistakes_of_builders(kafka):
    made = DynamicKafkaSource.builder
    service = SingleClusterTopicMetadataService("c", {"bootstrap.servers": kafka.bootstrap})

    def complete() -> DynamicKafkaSourceBuilder:
        needed = made().set_stream_ids({"s"}).set_kafka_metadata_service(service)
        return needed.set_value_only_deserializer(SimpleStringSchema())

    for call, said in (
        (lambda: made().build(), "call one of set_stream_ids, set_stream_pattern"),
        (lambda: made().set_stream_ids({"s"}).build(), "call set_kafka_metadata_service"),
        (lambda: made().set_stream_ids({"s"}).set_kafka_metadata_service(service).build(), "set_value_only_deser"),
        (lambda: made().set_stream_ids("s"), "expected a set of names of streams, got 's'"),
        (lambda: made().set_stream_ids([]), "expected a set of names"),
        (lambda: made().set_stream_pattern("("), "'\\(' is no regular expression"),
        (
            lambda: made().set_stream_ids({"s"}).set_stream_pattern("t"),
            "the streams to read are set already: streams s",
        ),
        (lambda: made().set_kafka_metadata_service({}), "expected a KafkaMetadataService, got dict"),
        (lambda: made().set_bounded("latest"), "expected a KafkaOffsetsInitializer such as .*, got str"),
        (lambda: made().set_deserializer(SimpleStringSchema()), "set_value_only_deserializer takes a Deserialization"),
        (lambda: made().set_group_id(""), "DynamicKafkaSource.set_group_id: expected a name, got an empty one"),
        (lambda: complete().set_starting_offsets(COMMITTED).build(), "DynamicKafkaSource: committed_offsets.. needs"),
        (lambda: complete().set_property("group.id", "").set_bounded(COMMITTED).build(), "committed_offsets.. needs"),
        (lambda: SingleClusterTopicMetadataService("", {}), "expected the name of a cluster"),
    ):
        with pytest.raises(ValidationError, match=said):
            call()
    refused = made().set_kafka_stream_subscriber(Refusing()).set_kafka_metadata_service(service)
    with pytest.raises(KafkaFailure, match="LookupError: not today"):
        refused.set_value_only_deserializer(SimpleStringSchema()).build().validate()


def test_secrets_are_not_in_texts(kafka):
    service = SingleClusterTopicMetadataService("c", {"bootstrap.servers": "h:1", "sasl.password": "Zq7x"})
    (stream,) = service.describe_streams(["s"]).values()
    assert "Zq7x" not in repr(stream)
