"""Apache Pulsar: with a crash before and after every call, and whatever goes wrong, on a real server."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing, nullcontext, suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from pulsar import ConsumerType, MessageId

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.connectors import DeliveryGuarantee
from datastream.connectors.pulsar import (
    MessageDelayer,
    PulsarMessage,
    PulsarSink,
    PulsarSinkBuilder,
    PulsarSource,
    PulsarSourceBuilder,
    RangeGenerator,
    StartCursor,
    StopCursor,
    TopicRoutingMode,
    publishing,
)
from datastream.connectors.pulsar.enumerator import Note, PulsarSplit
from datastream.connectors.pulsar.key_hash import partition_of
from datastream.connectors.pulsar.once_writer import OnceWriter
from datastream.connectors.pulsar.positions import OLDEST, position_of
from datastream.connectors.pulsar.publishing import UNCUT, Cut, Publisher, SinkSettings
from datastream.connectors.pulsar.reader import PulsarReader
from datastream.errors import CheckpointDamaged, FormatError, UnsupportedOperation, ValidationError
from datastream.formats import JsonRowDeserializationSchema, SimpleStringSchema
from datastream.functions import OutputTag, ProcessFunction
from datastream.io import Backoff, Batch, EnumeratorContext, ReaderContext, Spool, WriterContext
from datastream.metrics import MetricRegistry
from datastream.testing.conformance import SinkConformance, SourceConformance
from datastream.time import Duration, WatermarkStrategy
from tests.support.processes import ROOT
from tests.support.servers.pulsar import ONCE, OwnPulsarServer, PulsarServer
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(900)  # the server is fetched first, once

AWAY = "pulsar://127.0.0.1:9"
TOKEN = "org.apache.pulsar.client.impl.auth.AuthenticationToken"


@pytest.fixture(autouse=True)
def executor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run in this process, but for one test."""
    monkeypatch.setattr(settings(), "executor", getattr(request, "param", "local"))


def source_builder(url: str, *topics: str) -> PulsarSourceBuilder:
    builder = PulsarSource.builder().set_service_url(url).set_topics(list(topics)).set_subscription_name("job")
    return builder.set_deserialization_schema(SimpleStringSchema())


def sink_builder(url: str, admin_url: str, *topics: str) -> PulsarSinkBuilder:
    builder = PulsarSink.builder().set_service_url(url).set_admin_url(admin_url).set_topics(list(topics))
    return builder.set_serialization_schema(SimpleStringSchema())


@pytest.mark.long
class TestPulsarSource(SourceConformance):
    secrets = ("s3cret",)
    expected = [f"r{number}" for number in range(5)]
    ordered = False

    @pytest.fixture(autouse=True)
    def _server(self, pulsar: PulsarServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pulsar = pulsar
        monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here
        self.topic = pulsar.topic(2)
        pulsar.publish(f"{self.topic}-partition-0", [b"r0", b"r1", b"r2"], 2)
        pulsar.publish(f"{self.topic}-partition-1", [b"r3", b"r4"])

    def create(self, folder: Path) -> PulsarSource:
        return self.of(self.pulsar.url, self.topic)

    def unreachable(self) -> PulsarSource:
        return self.of(AWAY, "away")

    def of(self, url: str, topic: str) -> PulsarSource:
        builder = source_builder(url, topic).set_authentication(TOKEN, "token:s3cret")
        return builder.set_bounded_stop_cursor(StopCursor.latest()).build()


class _Sink(SinkConformance):
    secrets = ("s3cret",)
    ordered = True
    guarantee = DeliveryGuarantee.AT_LEAST_ONCE
    namespace = "public/default"

    @pytest.fixture(autouse=True)
    def _server(self, pulsar: PulsarServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pulsar = pulsar
        monkeypatch.setattr("os.fsync", lambda file: None)
        self.topics: dict[Path, str] = {}

    def record(self, number: int) -> str:
        return f"r{number}"

    def create(self, folder: Path) -> PulsarSink:
        if folder not in self.topics:
            self.topics[folder] = self.pulsar.topic(namespace=self.namespace)
        return self.of(self.pulsar.url, self.topics[folder])

    def written(self, folder: Path) -> Iterable[str]:
        return [data.decode() for data in self.pulsar.drain(self.topics[folder])]

    def unreachable(self) -> PulsarSink:
        sink = self.of(AWAY, "away")
        sink.backoff = Backoff(retries=1, initial_ms=1)
        return sink

    def of(self, url: str, topic: str) -> PulsarSink:
        builder = sink_builder(url, self.pulsar.admin_url, topic).set_delivery_guarantee(self.guarantee)
        return builder.set_authentication(TOKEN, "token:s3cret").build()


@pytest.mark.long
class TestPulsarSink(_Sink):
    exactly_once = False


@pytest.mark.long
class TestPulsarSinkOnce(_Sink):
    exactly_once = True
    guarantee = DeliveryGuarantee.EXACTLY_ONCE
    namespace = ONCE


def read(source: PulsarSource, limit: int | None = None, parallelism: int = 1) -> list[Any]:
    """The records of a job that reads a source."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    results = env.from_source(source, WatermarkStrategy.no_watermarks(), "in").execute_and_collect(limit=limit)
    with closing(results) if limit is None else nullcontext(results) as found:  # type: ignore[type-var]
        return list(found)


def write(sink: PulsarSink, records: list[Any]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection(records).sink_to(sink)
    env.execute()


@pytest.mark.long
def test_where_reading_starts_and_stops(pulsar: PulsarServer) -> None:
    topic = pulsar.topic()
    ids = pulsar.publish(topic, [b"0", b"1"], event_timestamp=1000)
    # Of one batch.
    ids += pulsar.publish(topic, [b"2", b"3", b"4"], 3, event_timestamp=2000)
    before = int(time.time() * 1000)
    wait_until(lambda: time.time() * 1000 > before + 2, "later", every_s=0.001)
    middle = before + 1
    ids += pulsar.publish(topic, [b"5", b"6"], event_timestamp=3000)
    places = [id.serialize() for id in ids]

    def found(start: StartCursor, stop: StopCursor) -> str:
        builder = source_builder(pulsar.url, topic).set_start_cursor(start).set_bounded_stop_cursor(stop)
        return "".join(read(builder.build()))

    first, last = StartCursor.earliest(), StopCursor.latest()
    assert found(first, last) == "0123456"
    assert found(StartCursor.latest(), last) == ""
    assert found(StartCursor.from_publish_time(middle), last) == "56"
    assert found(StartCursor.from_publish_time(middle + 10**9), last) == ""
    for n, place in enumerate(places):
        assert found(StartCursor.from_message_id(place), last) == "0123456"[n:]
        assert found(StartCursor.from_message_id(place, inclusive=False), last) == "0123456"[n + 1 :]
        assert found(first, StopCursor.at_message_id(place)) == "0123456"[:n]
        assert found(first, StopCursor.after_message_id(place)) == "0123456"[: n + 1]
    assert found(first, StopCursor.at_publish_time(middle)) == "01234"
    assert found(first, StopCursor.at_event_time(2000)) == "01"
    assert found(first, StopCursor.after_event_time(2000)) == "01234"
    assert found(StartCursor.from_message_id(MessageId().serialize()), last) == "0123456"
    unbounded = source_builder(pulsar.url, topic).set_unbounded_stop_cursor(last).build()
    assert not unbounded.bounded and "".join(read(unbounded)) == "0123456"


@pytest.mark.long
def test_a_topic_without_messages_and_one_that_is_not_there(pulsar: PulsarServer) -> None:
    missing = f"{pulsar.topic()}-missing"
    for topic in (pulsar.topic(), pulsar.topic(3), missing):
        assert read(source_builder(pulsar.url, topic).set_bounded_stop_cursor(StopCursor.latest()).build()) == []


class Timed(ProcessFunction):
    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Any:
        yield value, ctx.timestamp()


@pytest.mark.long
def test_timestamps_and_messages_that_are_no_records(pulsar: PulsarServer) -> None:
    topic, began = pulsar.topic(), int(time.time() * 1000)
    pulsar.publish(topic, [b'{"n": 1}', b'{"n": oh no'], event_timestamp=7)
    pulsar.publish(topic, [b'{"n": 2}'])
    schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.LONG()]))
    tag = OutputTag("unreadable")
    builder = source_builder(pulsar.url, topic).set_bounded_stop_cursor(StopCursor.latest())
    with pytest.raises(JobError, match=rf"the message \d+:1:-1 of the topic '{topic}' cannot be read: .*oh no"):
        read(builder.set_deserialization_schema(schema).build())
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    source = builder.set_deserialization_schema(schema.with_dead_letters(tag)).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "in")
    with stream.get_side_output(tag).execute_and_collect() as letters:
        assert [(letter.data, letter.topic) for letter in letters] == [(b'{"n": oh no', topic)]
    source = builder.set_deserialization_schema(SimpleStringSchema()).build()
    timed = env.from_source(source, WatermarkStrategy.for_monotonous_timestamps(), "in").process(Timed())
    with timed.execute_and_collect() as results:
        (_, first), (_, second), (_, published) = list(results)
    assert (first, second) == (7, 7) and began - 2000 < published < began + 60_000


def reader_of(source: PulsarSource, folder: Path) -> PulsarReader:
    metrics = MetricRegistry("job", "in", "uid", 0).group
    return PulsarReader(
        source.settings,
        ReaderContext("job", "uid", 1, False, metrics, logging.getLogger("test"), Spool(str(folder), "uid")),
    )


@pytest.mark.long
@pytest.mark.parametrize("batch", [0, 10])
def test_a_reader_that_connects_again_reads_each_message_once(pulsar: PulsarServer, tmp_path: Path, batch: int) -> None:
    topic = pulsar.topic()
    until = position_of(pulsar.publish(topic, [b"%d" % number for number in range(300)], batch)[-1])
    reader = reader_of(source_builder(pulsar.url, topic).build(), tmp_path)
    found, position = [], OLDEST
    for epoch in range(1, 10):
        split = PulsarSplit(topic, position, until, None, epoch, 0, 37)
        found += [record for part in reader.read(split) for record in part.records]
        position = Note.of(Spool(str(tmp_path), "uid").require(epoch, 0)).position
        if epoch % 2:
            pulsar.call("PUT", f"{topic.replace('://', '/')}/unload")
            wait_until(lambda: pulsar.drain(topic), "the topic is served again")
    reader.close()
    assert found == [str(number) for number in range(300)]


@pytest.mark.long
def test_what_comes_after_the_start_is_not_read_up_to_latest(pulsar: PulsarServer, tmp_path: Path) -> None:
    topic = pulsar.topic()
    pulsar.publish(topic, [b"0", b"1"])
    source = source_builder(pulsar.url, topic).set_bounded_stop_cursor(StopCursor.latest()).build()
    place = EnumeratorContext("job", "uid", 1, logging.getLogger("test"), Spool(str(tmp_path), "uid"))
    enumerator = source.create_enumerator(place)
    start = enumerator.initial_offset()
    end = enumerator.latest_offset(start, 100)
    pulsar.publish(topic, [b"2", b"3"])
    (split,) = enumerator.splits(start, end, 1)
    reader = reader_of(source, tmp_path)
    assert [record for part in reader.read(split) for record in part.records] == ["0", "1"]
    assert enumerator.finished(end)
    reader.close()
    enumerator.close()


@pytest.mark.long
def test_what_was_read_is_acknowledged(pulsar: PulsarServer) -> None:
    topic = pulsar.topic()
    pulsar.publish(topic, [b"a", b"b", b"c"])
    pulsar.publish(topic, [b"d", b"e", b"f"], 3)
    ended = source_builder(pulsar.url, topic).set_bounded_stop_cursor(StopCursor.latest()).build()
    assert len(read(ended)) == 6
    wait_until(lambda: pulsar.backlog(topic, "job") == 0, "no backlog", seen=lambda: pulsar.backlog(topic, "job"))
    pulsar.publish(topic, [b"g"])
    late = source_builder(pulsar.url, topic).set_subscription_name("late").set_start_cursor(StartCursor.latest())
    assert read(late.set_bounded_stop_cursor(StopCursor.latest()).build()) == []
    wait_until(lambda: pulsar.backlog(topic, "late") == 0, "no backlog")
    assert pulsar.backlog(topic, "job") == 1


@pytest.mark.long
def test_partitions_that_are_added_are_read(pulsar: PulsarServer) -> None:
    topic = pulsar.topic(1)
    pulsar.publish(topic, [b"a"])
    builder = source_builder(pulsar.url, topic).set_config("pulsar.source.partitionDiscoveryIntervalMs", 50)
    env = StreamExecutionEnvironment.get_execution_environment()
    with env.from_source(builder.build(), WatermarkStrategy.no_watermarks(), "in").execute_and_collect() as results:
        assert next(results) == "a"
        pulsar.call("POST", f"{topic.replace('://', '/')}/partitions", 3)
        pulsar.publish(f"{topic}-partition-2", [b"b"])
        assert next(results) == "b"


@pytest.mark.long
def test_where_messages_go(pulsar: PulsarServer) -> None:
    first, second = pulsar.topic(2), pulsar.topic()
    builder = sink_builder(pulsar.url, pulsar.admin_url, first, second)
    write(builder.build(), [f"{n}" for n in range(9)])
    assert [sorted(pulsar.drain(f"{first}-partition-{n}")) for n in (0, 1)] == [[b"0", b"3", b"6"], [b"1", b"4", b"7"]]
    assert pulsar.drain(second) == [b"2", b"5", b"8"]
    one = pulsar.topic(2)
    builder = sink_builder(pulsar.url, pulsar.admin_url, one).set_topic_routing_mode(TopicRoutingMode.MESSAGE_KEY_HASH)
    write(builder.set_config("pulsar.producer.compressionType", "ZSTD").build(), ["a", "b", "c"])
    assert pulsar.drain(f"{one}-partition-0") == [b"a", b"b", b"c"]


@pytest.mark.long
@pytest.mark.parametrize("guarantee", [DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE])
def test_keys_properties_and_event_times(pulsar: PulsarServer, guarantee: DeliveryGuarantee) -> None:
    pulsar.make_namespace()
    topic = pulsar.topic(2, namespace=ONCE)
    builder = sink_builder(pulsar.url, pulsar.admin_url, topic).set_delivery_guarantee(guarantee)
    builder.set_topic_routing_mode(TopicRoutingMode.MESSAGE_KEY_HASH).set_message_key(lambda text: text[:-1] or None)
    builder.set_message_properties(lambda text: {"text": text} if text == "ab1" else None)
    builder.set_message_event_time(lambda text: 5000 if text == "ab2" else None)
    write(builder.build(), ["ab1", "ab2", "c3", "4"])
    source = source_builder(pulsar.url, topic).set_bounded_stop_cursor(StopCursor.latest())
    messages = read(source.set_record_function(lambda message: message).build())
    assert all(isinstance(message, PulsarMessage) for message in messages)
    found = {message.data: message for message in messages}
    assert [found[text].key for text in (b"ab1", b"ab2", b"c3", b"4")] == ["ab", "ab", "c", None]
    assert [found[text].properties for text in (b"ab1", b"ab2")] == [{"text": "ab1"}, {}]
    assert [found[text].event_time for text in (b"ab1", b"ab2")] == [None, 5000]
    assert found[b"ab1"].topic == found[b"ab2"].topic == f"{topic}-partition-{partition_of('ab', 2)}"
    assert all(time.time() * 1000 - 3_600_000 < message.publish_time for message in messages)
    assert {MessageId.deserialize(message.message_id).entry_id() >= 0 for message in messages} == {True}
    assert all(message.producer_name for message in messages)


@pytest.mark.long
def test_a_record_function_that_fails_is_named(pulsar: PulsarServer) -> None:
    topic = pulsar.topic()
    pulsar.publish(topic, [b"1", b"x"])
    source = source_builder(pulsar.url, topic).set_bounded_stop_cursor(StopCursor.latest())
    numbers = source.set_record_function(lambda message: int(message.data), Types.LONG()).build()
    with pytest.raises(JobError, match=rf"of the topic '{topic}' cannot be read: ValueError.*content: b'x'"):
        read(numbers)


@pytest.mark.long
def test_messages_that_consumers_get_later(pulsar: PulsarServer) -> None:
    topic = pulsar.topic()
    with pulsar.connected() as client:
        consumer = client.subscribe(topic, "shared", consumer_type=ConsumerType.Shared)
        builder = sink_builder(pulsar.url, pulsar.admin_url, topic)
        write(builder.delay_sending_message(MessageDelayer.fixed(Duration.of_seconds(3))).build(), ["later"])
        message = consumer.receive(30_000)
        # Brokers look every second, and may be early by as much.
        assert message.data() == b"later" and time.time() * 1000 - message.publish_timestamp() >= 1900
        consumer.close()


@pytest.mark.long
def test_exactly_once_needs_deduplication(pulsar: PulsarServer) -> None:
    topic = pulsar.topic()
    builder = sink_builder(pulsar.url, pulsar.admin_url, topic)
    sink = builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).build()
    with pytest.raises(JobError, match=f"needs deduplication, which the topic '{topic}' has not") as failed:
        write(sink, ["a"])
    assert not failed.value.transient and pulsar.drain(topic) == []


@pytest.mark.long
def test_a_checkpoint_that_is_older_than_what_was_published(pulsar: PulsarServer, tmp_path: Path) -> None:
    topic = pulsar.topic(namespace=ONCE)
    builder = sink_builder(pulsar.url, pulsar.admin_url, topic)
    sink = builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).build()

    def publish(epoch: int, folder: str) -> None:
        metrics = MetricRegistry("job", "sink", "uid", 0).group
        place = WriterContext(
            "job", "uid", 0, 1, metrics, logging.getLogger("test"), Spool(f"{tmp_path}/{folder}", "uid")
        )
        writer = sink.create_writer(place)
        try:
            writer.begin(epoch, 0)
            writer.write(Batch([f"{epoch}"]))
            writer.prepare_commit()
        finally:
            writer.close()

    (tmp_path / "restored").mkdir()
    publish(0, "first")
    publish(5, "first")
    publish(5, "first")
    assert pulsar.drain(topic) == [b"0", b"5"]
    with pytest.raises(CheckpointDamaged, match="has messages of later epochs of this job"):
        publish(4, "restored")


@pytest.mark.parametrize(
    ("sizes", "ends"),
    [([1] * 7, [3, 6, 7]), ([6, 4, 1], [2, 3]), ([6, 6, 20, 1], [1, 2, 3, 4]), ([20], [1]), ([1] * 3, [3])],
)
def test_where_the_messages_of_an_epoch_are_cut(sizes: list[int], ends: list[int]) -> None:
    assert Cut(3, 10).ends(sizes) == ends


@pytest.mark.long
@pytest.mark.parametrize(("before", "now"), [(4, 7), (4, 2), (1, 7), (7, 1)])
def test_an_epoch_that_runs_again_is_cut_as_before(pulsar: PulsarServer, tmp_path: Path, before: int, now: int) -> None:
    topic = pulsar.topic(namespace=ONCE)
    contents = [b"%d" % number for number in range(10)]
    metrics = MetricRegistry("job", "sink", "uid", 0).group
    place = WriterContext("job", "uid", 0, 1, metrics, logging.getLogger("test"), Spool(str(tmp_path), "uid"))

    def settings_of(most: int) -> SinkSettings:
        builder = sink_builder(pulsar.url, pulsar.admin_url, topic).set_delivery_guarantee(
            DeliveryGuarantee.EXACTLY_ONCE
        )
        if most == 1:
            return builder.set_config("pulsar.producer.batchingEnabled", False).build().settings
        return builder.set_config("pulsar.producer.batchingMaxMessages", most).build().settings

    class Dies(Publisher):
        """Publishes the first entry of an epoch."""

        def publish(self, records: Any, contents: Any, lanes: Any, *more: Any) -> None:
            super().publish(records[:before], contents[:before], lanes, *more)
            raise KeyboardInterrupt

    first = OnceWriter(settings_of(before), Backoff(retries=1), place)
    first._publisher = Dies(first._settings, place)
    first.begin(0, 0)
    first.write(Batch([content.decode() for content in contents]))
    with pytest.raises(KeyboardInterrupt):
        first.prepare_commit()
    first.close()
    assert pulsar.drain(topic) == contents[:before]

    for attempt in (1, 2):
        again = OnceWriter(settings_of(now), Backoff(retries=1), place)
        again.begin(0, attempt)
        again.write(Batch([content.decode() for content in contents]))
        again.prepare_commit()
        again.close()
        assert pulsar.drain(topic) == contents
    indexes = [message.message_id().batch_index() for message in pulsar.messages(topic)]
    assert indexes == [-1 if before == 1 else number % before for number in range(10)]


def once_writer(settings: SinkSettings, folder: Path) -> OnceWriter:
    metrics = MetricRegistry("job", "sink", "uid", 0).group
    place = WriterContext("job", "uid", 0, 1, metrics, logging.getLogger("test"), Spool(str(folder), "uid"))
    return OnceWriter(settings, Backoff(retries=1), place)


@pytest.mark.long
def test_a_flush_that_is_late_cuts_nothing(
    pulsar: PulsarServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = pulsar.topic(namespace=ONCE)
    builder = sink_builder(pulsar.url, pulsar.admin_url, topic).set_config("pulsar.producer.batchingMaxMessages", 4)
    writer = once_writer(builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).build().settings, tmp_path)
    flush, pauses_ms = publishing._flush, cycle([0, 3, 10, 30])

    def late(producer: Any) -> None:
        time.sleep(next(pauses_ms) / 1000)
        flush(producer)

    monkeypatch.setattr(publishing, "_flush", late)
    writer.begin(0, 0)
    writer.write(Batch([str(number) for number in range(200)]))
    writer.prepare_commit()
    writer.close()
    assert [message.message_id().batch_index() for message in pulsar.messages(topic)] == [n % 4 for n in range(200)]


@pytest.mark.long
@pytest.mark.parametrize("guarantee", [DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE])
def test_large_properties_of_small_messages(pulsar: PulsarServer, guarantee: DeliveryGuarantee) -> None:
    topic = pulsar.topic(namespace=ONCE)
    builder = sink_builder(pulsar.url, pulsar.admin_url, topic).set_delivery_guarantee(guarantee)
    records = [str(number) for number in range(1000)]
    write(builder.set_message_properties(lambda record: {"more": "x" * 10_000}).build(), records)
    assert [data.decode() for data in pulsar.drain(topic)] == records


@pytest.mark.long
@pytest.mark.parametrize("keyed", [False, True])
def test_no_message_passes_one_that_is_refused(pulsar: PulsarServer, tmp_path: Path, keyed: bool) -> None:
    topic = pulsar.topic(namespace=ONCE)
    builder = sink_builder(pulsar.url, pulsar.admin_url, topic).set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    builder.set_config("pulsar.producer.batchingMaxBytes", 32 << 20)
    if keyed:
        builder.set_message_key(lambda record: record[:1])
    writer = once_writer(builder.build().settings, tmp_path)
    writer.begin(0, 0)
    writer.write(Batch(["a", "x" * 6_000_000, "b", "c"]))
    with pytest.raises(FormatError, match=r"its message has 6,000,00[01] bytes"):
        writer.prepare_commit()
    writer.close()
    assert pulsar.drain(topic) == [b"a"]


@pytest.mark.long
def test_an_epoch_that_runs_again_with_another_name_or_routing(pulsar: PulsarServer, tmp_path: Path) -> None:
    topic = pulsar.topic(2, ONCE)

    def publish(name: str, mode: TopicRoutingMode) -> None:
        builder = sink_builder(pulsar.url, pulsar.admin_url, topic).set_producer_name(name)
        builder.set_topic_routing_mode(mode).set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
        writer = once_writer(builder.build().settings, tmp_path)
        writer.begin(0, 0)
        writer.write(Batch(["a", "b"]))
        try:
            writer.prepare_commit()
        finally:
            writer.close()

    publish("one", TopicRoutingMode.ROUND_ROBIN)
    with pytest.raises(CheckpointDamaged, match=r"the producer name one, and runs again with two"):
        publish("two", TopicRoutingMode.ROUND_ROBIN)
    with pytest.raises(CheckpointDamaged, match=r"the routing mode ROUND_ROBIN, and runs again with MESSAGE_KEY_HASH"):
        publish("one", TopicRoutingMode.MESSAGE_KEY_HASH)
    publish("one", TopicRoutingMode.ROUND_ROBIN)
    assert sorted(pulsar.drain(topic)) == [b"a", b"b"]


@pytest.mark.long
def test_records_and_messages_that_cannot_be_written(pulsar: PulsarServer) -> None:
    topic = pulsar.topic(namespace=ONCE)
    for guarantee in (DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE):
        sink = sink_builder(pulsar.url, pulsar.admin_url, topic).set_delivery_guarantee(guarantee).build()
        with pytest.raises(JobError, match="PulsarSink cannot write the record 7: SimpleStringSchema writes str"):
            write(sink, ["a", 7])
        with pytest.raises(
            JobError, match=r"cannot write the record b?'xxx.*: its message has 6,000,000 bytes"
        ) as failed:
            write(sink, ["x" * 6_000_000])
        assert not failed.value.transient and len(str(failed.value)) < 5000
    assert pulsar.drain(topic) == []


EXAMPLE = """
from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.pulsar import PulsarSource, PulsarSink, StartCursor, \\
    StopCursor, DeliveryGuarantee, TopicRoutingMode

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.add_jars('file:///path/to/flink-sql-connector-pulsar-1.16.0.jar')

pulsar_source = PulsarSource.builder() \\
    .set_service_url(SERVICE_URL) \\
    .set_admin_url(ADMIN_URL) \\
    .set_topics('ada') \\
    .set_start_cursor(StartCursor.latest()) \\
    .set_unbounded_stop_cursor(StopCursor.never()) \\
    .set_subscription_name('pyflink_subscription') \\
    .set_deserialization_schema(SimpleStringSchema()) \\
    .set_config('pulsar.source.enableAutoAcknowledgeMessage', True) \\
    .set_properties({'pulsar.source.autoCommitCursorInterval': '1000'}) \\
    .build()
ds = env.from_source(source=pulsar_source,
                     watermark_strategy=WatermarkStrategy.for_monotonous_timestamps(),
                     source_name="pulsar source")
pulsar_sink = PulsarSink.builder() \\
    .set_service_url(SERVICE_URL) \\
    .set_admin_url(ADMIN_URL) \\
    .set_producer_name('pyflink_producer') \\
    .set_topics('beta') \\
    .set_serialization_schema(SimpleStringSchema()) \\
    .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE) \\
    .set_topic_routing_mode(TopicRoutingMode.ROUND_ROBIN) \\
    .set_config('pulsar.producer.maxPendingMessages', 1000) \\
    .set_properties({'pulsar.producer.batchingMaxMessages': '100'}) \\
    .build()
ds.sink_to(pulsar_sink).name('pulsar sink')
job = env.execute_async()
"""


@pytest.mark.long
@pytest.mark.parametrize("executor", ["spark"], indirect=True)
def test_the_job_of_pyflinks_examples_copies_on_spark(pulsar: PulsarServer, pyflink: None) -> None:
    ada, beta = pulsar.topic(2), pulsar.topic()
    names: dict[str, Any] = {"SERVICE_URL": pulsar.url, "ADMIN_URL": pulsar.admin_url}
    exec(EXAMPLE.replace("'ada'", repr(ada)).replace("'beta'", repr(beta)), names)
    job = names["job"]
    texts = [f"text {n}".encode() for n in range(200)]

    def begun() -> bool:
        pulsar.publish(ada, [b"begin"])
        return bool(pulsar.drain(beta))

    wait_until(begun, "the first message", every_s=0.5)
    pulsar.publish(ada, texts, 10)
    wait_until(lambda: {*texts} <= {*pulsar.drain(beta)}, "all messages", every_s=0.5)
    job.cancel().result()
    assert sorted(text for text in pulsar.drain(beta) if text != b"begin") == sorted(texts)


KILLED = """
import sys
from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.pulsar import PulsarSink, PulsarSource, StopCursor

url, admin_url, source, target = sys.argv[1:]
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
reading = PulsarSource.builder().set_service_url(url).set_topics(source).set_subscription_name("job")
reading.set_deserialization_schema(SimpleStringSchema()).set_bounded_stop_cursor(StopCursor.latest())
stream = env.from_source(reading.build(), WatermarkStrategy.no_watermarks(), "in").uid("in")
writing = PulsarSink.builder().set_service_url(url).set_admin_url(admin_url).set_topics(target)
writing.set_serialization_schema(SimpleStringSchema()).set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
stream.key_by(lambda text: int(text) % 16).map(lambda text: text).sink_to(writing.build()).uid("out")
env.execute("copy")
"""


@pytest.mark.long
def test_each_message_is_there_once_though_the_job_and_the_server_are_killed(
    own_pulsar: OwnPulsarServer, tmp_path: Path
) -> None:
    count = 2000
    source, target = own_pulsar.topic(2), own_pulsar.topic(2, ONCE)
    own_pulsar.publish(source, [f"{n}".encode() for n in range(count)], 7)
    (tmp_path / "job.py").write_text(KILLED)
    command = [sys.executable, "-m", "datastream.cli", "run", "--no-progress", "-D", "datastream.epoch.max-records=100"]
    command += ["-D", "restart-strategy.type=fixed-delay", "-D", "restart-strategy.fixed-delay.attempts=100"]
    command += ["-D", "restart-strategy.fixed-delay.delay=100 ms", "--checkpoint-dir", f"{tmp_path}/checkpoint"]
    command += [str(tmp_path / "job.py"), own_pulsar.url, own_pulsar.admin_url, source, target]

    def said() -> str:
        return (tmp_path / "log").read_text()[-5000:]

    def there() -> int:
        return len(own_pulsar.drain(target))

    with (tmp_path / "log").open("a") as log:

        def run(least: int, kills_server: bool) -> None:
            """Run the job until so many messages are there; then kill the server, if that is wanted, and the job."""
            job = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                wait_until(lambda: there() >= least, "messages", 200, 0.2, said)
                if kills_server:
                    own_pulsar.kill()
                    own_pulsar.start()
                    before = there()
                    wait_until(lambda: there() > before or job.poll() is not None, "more messages", 200, 0.2, said)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(job.pid, signal.SIGKILL)
                job.wait()

        run(500, False)
        run(1000, True)
        done = subprocess.run(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, timeout=300, check=False)
    assert done.returncode == 0, said()
    found = Counter(map(int, own_pulsar.drain(target)))
    assert found == Counter(range(count))


def test_what_a_message_may_not_carry() -> None:
    wrong: list[tuple[Callable[[Any], Any], str]] = [
        (lambda sink: sink.set_message_key(lambda record: 1), "set_message_key returned 1, expected a text"),
        (lambda sink: sink.set_message_key(lambda record: record.key), "set_message_key failed: AttributeError"),
        (lambda sink: sink.set_message_properties(lambda record: {"a": 1}), "expected a dict of texts"),
        (lambda sink: sink.set_message_event_time(lambda record: -1), "returned -1, expected milliseconds since 1970"),
    ]
    for change, says in wrong:
        sink = change(sink_builder("pulsar://a:6650", "http://a:8080", "t")).build()
        with pytest.raises(FormatError, match=f"PulsarSink cannot write the record 'r': .*{says}"):
            sink.settings.fields_of(["r"])


def test_settings() -> None:
    def source() -> PulsarSourceBuilder:
        return source_builder("pulsar://a:6650", "t")

    def sink() -> PulsarSinkBuilder:
        return sink_builder("pulsar://a:6650", "http://a:8080", "t")

    built = source().set_properties(
        {"pulsar.client.operationTimeoutMs": "5000", "pulsar.client.tlsAllowInsecureConnection": True}
    )
    options = built.build().settings.service.options
    assert options == {"operation_timeout_seconds": 5, "tls_allow_insecure_connection": True}
    assert not source().set_unbounded_stop_cursor(StopCursor.latest()).build().bounded
    assert (
        source().set_bounded_stop_cursor(StopCursor.never()).set_range_generator(RangeGenerator.full()).build().bounded
    )
    once = sink().set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    built = once.build().settings
    assert built.options["send_timeout_millis"] == 0 and built.cut == Cut(1000, 131_072)
    assert once.set_config("pulsar.producer.maxPendingMessages", 20).build().settings.cut == Cut(20, 131_072)
    assert once.set_config("pulsar.producer.batchingEnabled", False).build().settings.cut == UNCUT
    keyed = sink().set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_message_key(str)
    assert keyed.build().settings.cut == UNCUT
    for name, parameters in (
        (TOKEN, {"token": "s3cret"}),
        (TOKEN.replace("Token", "Basic"), {"userId": "a", "password": "s3cret"}),
        (TOKEN.replace("Token", "Tls"), "tlsCertFile:/a,tlsKeyFile:/s3cret"),
    ):
        checked = source().set_authentication(name, parameters).build()
        checked.validate()
        assert "s3cret" not in repr(checked.settings)
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: PulsarSource.builder().build(), "needs set_deserialization_schema or"),
        (lambda: source().set_subscription_name("").build(), "needs set_subscription_name"),
        (lambda: source_builder("http://a", "t").build(), "set_service_url: expected a URL such as 'pulsar://local"),
        (lambda: source_builder("pulsar://me:s3cret@a", "t").build(), "credentials belong into set_authentication"),
        (lambda: source().set_topics([]), "expected names of topics"),
        (lambda: source().set_start_cursor("latest"), "expected a StartCursor"),  # type: ignore[arg-type]
        (lambda: source().set_bounded_stop_cursor(7), "expected a StopCursor"),  # type: ignore[arg-type]
        (lambda: StartCursor.from_publish_time(-1), "expected milliseconds"),
        (lambda: StartCursor.from_message_id("a"), "serialize"),  # type: ignore[arg-type]
        (lambda: source().set_config("pulsar.reader.name", 1).build(), "'pulsar.reader.name' is not known"),
        (lambda: source().set_config("pulsar.consumer.receiverQueueSize", 0).build(), "a whole number from 1 on"),
        (lambda: source().set_authentication(TOKEN, {"s": "s3cret"}).build().validate(), "the parameter 'token'"),
        (lambda: source().set_authentication("Kerberos", "s3cret").build().validate(), "has AuthenticationToken,"),
        (lambda: PulsarSink.builder().set_service_url("pulsar://a").build(), "needs set_topics"),
        (lambda: sink().set_topic_routing_mode(TopicRoutingMode.CUSTOM), "CUSTOM needs a class of Java"),
        (lambda: sink().set_config("pulsar.producer.compressionType", "GZIP").build(), "expected one of LZ4"),
        (lambda: MessageDelayer.fixed(Duration.of_millis(0)), "1 ms or more"),
        (lambda: source().set_record_function("text"), "needs a function of a PulsarMessage"),  # type: ignore[arg-type]
        (lambda: sink().set_message_key("text"), "set_message_key needs a function"),  # type: ignore[arg-type]
    ]
    for make, says in wrong:
        with pytest.raises(ValidationError, match=says) as failed:
            make()
        assert "s3cret" not in str(failed.value)
    refused: list[Callable[[], Any]] = [
        lambda: source().set_topic_pattern("t.*"),
        lambda: sink().set_topic_router("org.example.Router"),
        RangeGenerator.fixed_key,
    ]
    for call in refused:
        with pytest.raises(UnsupportedOperation):
            call()
    plain = PulsarSink.builder().set_service_url("pulsar://a").set_topics("t")
    plain.set_serialization_schema(SimpleStringSchema()).set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    with pytest.raises(ValidationError, match="EXACTLY_ONCE needs set_admin_url"):
        plain.build()
