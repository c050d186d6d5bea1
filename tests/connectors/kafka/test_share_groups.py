"""Share groups: topics as queues, on a real broker, with a crash before and after every call."""

from __future__ import annotations

import itertools
import logging
from pathlib import Path
from typing import Any
from uuid import uuid4

import confluent_kafka
import pytest

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.connectors.kafka import (
    ConsumerRecord,
    KafkaRecordDeserializationSchema,
    KafkaRecordSerializationSchema,
    KafkaShareSource,
    KafkaSink,
)
from datastream.connectors.kafka.client.cluster import Cluster
from datastream.connectors.kafka.client.errors import BrokersAway
from datastream.connectors.kafka.share.connection import ShareConnection
from datastream.errors import ValidationError
from datastream.formats import JsonRowDeserializationSchema, SimpleStringSchema
from datastream.functions import ProcessFunction
from datastream.io import Message, ReaderContext, Spool
from datastream.io.queues import QueueSplit
from datastream.metrics import MetricRegistry
from datastream.testing.conformance import SourceConformance
from datastream.time import WatermarkStrategy
from tests.support.servers.kafka import Broker, OwnBroker
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def executor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run in this process, but for one test."""
    monkeypatch.setattr(settings(), "executor", getattr(request, "param", "local"))


class NoticedConnection(ShareConnection):
    """One that leaves the group when nobody uses it any more: a worker in another process cannot.

    Its first pull waits until it has joined the group, so that a trial does not make many calls meanwhile.
    """

    _waits = 4

    def pull(self, most: int) -> list[Message]:
        found = super().pull(most)
        while not found and self._waits:
            self._waits -= 1
            found = super().pull(most)
        self._waits = 0
        return found

    def __del__(self) -> None:
        self.close()


class Noticed(KafkaShareSource):
    def connect(self) -> ShareConnection:
        return NoticedConnection(self._topics.topics, self._properties)


def builder(bootstrap: str, *topics: str, group: str | None = None) -> Any:
    found = KafkaShareSource.builder().set_bootstrap_servers(bootstrap).set_topics(*topics)
    found.set_group_id(group or f"share-{uuid4().hex[:8]}").set_property("share.auto.offset.reset", "earliest")
    return found.set_value_only_deserializer(SimpleStringSchema())


@pytest.mark.long
@pytest.mark.timeout(1200)
class TestKafkaShareSource(SourceConformance):
    secrets = ("s3cret",)
    expected = [f"r{number}" for number in range(3)]
    ordered = False
    parallelism = 1
    budget = most = 2
    at_once = 6

    @pytest.fixture(autouse=True)
    def _broker(self, kafka: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kafka = kafka
        monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here

    def create(self, folder: Path) -> KafkaShareSource:
        topic = self.kafka.topic()
        for record in self.expected:
            self.kafka.produce(topic, [record])  # brokers give whole batches
        made = self.of(self.kafka.bootstrap, topic)
        cluster = Cluster(made._properties)
        cluster.set_group_option(made._properties["group.id"], "share.record.lock.duration.ms", "1000")
        return made

    def unreachable(self) -> KafkaShareSource:
        return self.of("127.0.0.1:9", "away")

    def of(self, address: str, topic: str) -> KafkaShareSource:
        made = builder(address, topic).set_property("sasl.password", "s3cret")
        made.set_property("default.api.timeout.ms", "100" if topic == "away" else "60000")
        found = Noticed(made._topics, made._deserializer, made._properties)
        found.poll_ms = 0
        return found


def stream_of(source: KafkaShareSource, watermarks: WatermarkStrategy | None = None) -> Any:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return env.from_source(source, watermarks or WatermarkStrategy.no_watermarks(), "in")


@pytest.mark.parametrize("executor", ["spark"], indirect=True)
def test_two_jobs_share_a_topic_with_one_partition(kafka: Broker) -> None:
    topic, target = kafka.topic(), kafka.topic()
    source = builder(kafka.bootstrap, topic)
    jobs = []
    for number in range(2):
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(2)
        schema = KafkaRecordSerializationSchema.builder().set_topic(target)
        schema.set_value_serialization_schema(SimpleStringSchema())
        sink = KafkaSink.builder().set_bootstrap_servers(kafka.bootstrap).set_record_serializer(schema.build()).build()
        lines = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "in").uid("in")
        lines.map(lambda text, of=number: f"{of} {text}", Types.STRING()).sink_to(sink).uid("out")
        jobs.append(env.execute_async(f"job {number}"))
    sent = 0

    def both_have_some() -> bool:
        nonlocal sent
        kafka.produce(topic, [f"{n}" for n in range(sent, sent + 100)])
        sent += 100
        return len({record.value.split()[0] for record in kafka.read(target)}) == 2

    wait_until(both_have_some, "records of both jobs", every_s=0.5)
    wait_until(lambda: len(kafka.read(target)) >= sent, "all records")
    for job in jobs:
        job.cancel().result()
    assert sorted(int(record.value.split()[1]) for record in kafka.read(target)) == list(range(sent))


def test_more_records_than_an_epoch_in_several_partitions(kafka: Broker) -> None:
    topics = kafka.topic(partitions=3), kafka.topic()
    for topic in topics:
        kafka.produce(topic, [f"{n}" for n in range(3000)])
    found = stream_of(builder(kafka.bootstrap, *topics).build()).execute_and_collect(limit=6000)
    assert sorted(map(int, found)) == sorted([*range(3000), *range(3000)])


class Whole(KafkaRecordDeserializationSchema):
    def deserialize(self, record: ConsumerRecord) -> Any:
        return record.partition, record.offset, record.key, record.value, record.headers

    def get_produced_type(self) -> Any:
        return Types.PICKLED_BYTE_ARRAY()


class Timed(ProcessFunction):
    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Any:
        yield value, ctx.timestamp()


def test_keys_headers_timestamps_and_tombstones(kafka: Broker) -> None:
    topic = kafka.topic()
    with_headers = {
        "topic": topic,
        "key": b"k",
        "value": b"v",
        "timestamp": 1000,
        "headers": [("h", b"1"), ("h", None)],
    }
    producer = kafka.producer()
    producer.produce(**with_headers)
    producer.produce(topic=topic, key=b"gone", value=None, timestamp=2000)
    producer.flush()
    source = builder(kafka.bootstrap, topic).set_deserializer(Whole()).build()
    stream = stream_of(source, WatermarkStrategy.for_monotonous_timestamps())
    assert stream.process(Timed()).execute_and_collect(limit=2) == [
        ((0, 0, b"k", b"v", (("h", b"1"), ("h", None))), 1000),
        ((0, 1, b"gone", None, ()), 2000),
    ]


def test_a_broker_that_is_killed_loses_and_repeats_nothing(own_kafka: OwnBroker) -> None:
    topic = own_kafka.topic()
    own_kafka.produce(topic, [f"{n}" for n in range(10)])
    connection = builder(own_kafka.bootstrap, topic).build()
    connection.start(None)
    connection = connection.connect()
    found: list[Any] = []

    def pulled() -> int:
        messages = connection.held(connection.pull(4))
        if messages:
            connection.acknowledge(messages)
            found.extend(message.body[2][3] for message in messages)
        return len(found)

    wait_until(lambda: pulled() >= 10, "the records")
    own_kafka.kill()
    assert connection.pull(4) == []
    own_kafka.start()
    own_kafka.produce(topic, ["10"])
    wait_until(lambda: pulled() >= 11, "the record after the restart")
    connection.close()
    assert [int(value) for value in found] == list(range(11))


def test_what_cannot_be_read_is_told_with_its_place(kafka: Broker) -> None:
    topic = kafka.topic()
    kafka.produce(topic, ["{"])
    schema = JsonRowDeserializationSchema.builder().type_info(Types.ROW_NAMED(["n"], [Types.INT()])).build()
    source = builder(kafka.bootstrap, topic).set_value_only_deserializer(schema).build()
    with pytest.raises(JobError, match=f"topic '{topic}', partition 0, offset 0 cannot be read"):
        stream_of(source).execute_and_collect(limit=1)


def test_what_is_wrong_is_refused(kafka: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = KafkaShareSource.builder().set_bootstrap_servers(kafka.bootstrap).set_topics("clicks")
    plain.set_value_only_deserializer(SimpleStringSchema())
    with pytest.raises(ValidationError, match="call set_group_id"):
        plain.build()
    with pytest.raises(ValidationError, match="expected earliest or latest, got 'first'"):
        builder(kafka.bootstrap, "clicks").set_property("share.auto.offset.reset", "first").build()
    with pytest.raises(ValidationError, match="topic 'clicks-of-nobody' does not exist"):
        builder(kafka.bootstrap, "clicks-of-nobody").build().validate()
    with pytest.raises(ValidationError, match="call set_topics"):
        KafkaShareSource.builder().set_group_id("g").build()
    monkeypatch.delattr(confluent_kafka, "ShareConsumer")
    with pytest.raises(ValidationError, match="share groups need confluent-kafka 2.16 or later"):
        builder(kafka.bootstrap, "clicks").build().validate()


def test_a_reader_gives_up_though_it_connects_again_for_each_epoch(tmp_path: Path) -> None:
    source = builder("127.0.0.1:9", "away").set_property("default.api.timeout.ms", "1000").build()
    spool = Spool(str(tmp_path), "in")
    metrics = MetricRegistry("job", "in", "in", 0).group
    reader = source.create_reader(ReaderContext("job", "in", 1, True, metrics, logging.getLogger(), spool))
    epochs = itertools.count(1)

    def is_over() -> bool:
        try:
            assert list(reader.read(QueueSplit(next(epochs), 0, 10))) == []
        except BrokersAway as error:
            return "Tried for 1 s" in str(error)
        reader.idle()
        return False

    wait_until(is_over, "the end of its patience")
