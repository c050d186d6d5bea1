"""Google Pub/Sub: with a crash before and after every call, and whatever goes wrong, on Google's in-memory server."""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import Cancelled
from google.auth.credentials import AnonymousCredentials
from google.pubsub_v1.types import PubsubMessage as Sent

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.connectors.pubsub import (
    PubSubDeserializationSchema,
    PubsubMessage,
    PubSubSink,
    PubSubSinkBuilder,
    PubSubSource,
    PubSubSourceBuilder,
)
from datastream.connectors.pubsub.pulling import Pulling
from datastream.connectors.pubsub.service import Service
from datastream.errors import ValidationError
from datastream.formats import ByteArraySchema, JsonRowDeserializationSchema, SimpleStringSchema
from datastream.functions import OutputTag, ProcessFunction
from datastream.io import Backoff, EnumeratorContext, Message, ReaderContext, Spool, WriterContext
from datastream.metrics import MetricRegistry
from datastream.testing.conformance import SinkConformance, SourceConformance
from datastream.time import Duration, WatermarkStrategy
from tests.support.servers.pubsub import PROJECT, OwnPubSubServer, PubSubServer
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(900)  # the server is built first, once

AWAY = "127.0.0.1:9"
_LOGGER = logging.getLogger("test")


@pytest.fixture(autouse=True)
def executor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run in this process, but for one test."""
    monkeypatch.setattr(settings(), "executor", getattr(request, "param", "local"))


def source_builder(address: str, subscription: str, schema: Any = None) -> PubSubSourceBuilder:
    builder = PubSubSource.new_builder().with_deserialization_schema(schema or SimpleStringSchema())
    builder.with_project_name(PROJECT).with_subscription_name(subscription)
    return builder.with_host_and_port_for_emulator(address)


def sink_builder(address: str, topic: str) -> PubSubSinkBuilder:
    builder = PubSubSink.new_builder().with_serialization_schema(SimpleStringSchema())
    return builder.with_project_name(PROJECT).with_topic_name(topic).with_host_and_port_for_emulator(address)


def quick(source: PubSubSource, deadline_s: int = 1) -> PubSubSource:
    """A source of a subscription with a short deadline."""
    source.settings = replace(source.settings, deadline_s=deadline_s, extension_s=deadline_s)
    source.poll_ms = 0
    return source


class NoticedPulling(Pulling):
    """One that gives its messages back when nobody uses it any more: a worker in another process cannot."""

    def __del__(self) -> None:
        self.close()


class Noticed(PubSubSource):
    def connect(self) -> Pulling:
        return NoticedPulling(self.settings, self.wait_ms / 1000)


@pytest.mark.long
class TestPubSubSource(SourceConformance):
    secrets = ("s3cret",)
    expected = [f"r{number}" for number in range(3)]
    ordered = False
    parallelism = 1
    budget = 2
    most = 2

    @pytest.fixture(autouse=True)
    def _server(self, pubsub: PubSubServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pubsub = pubsub
        monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here

    def create(self, folder: Path) -> PubSubSource:
        topic, subscription = self.pubsub.topic(deadline_s=1)
        self.pubsub.publish(topic, [record.encode() for record in self.expected])
        found = source_builder(self.pubsub.address, subscription).build()
        return quick(Noticed(found.settings, wait_ms=200))

    def unreachable(self) -> PubSubSource:
        return self.of(AWAY, "away")

    def of(self, address: str, subscription: str) -> PubSubSource:
        credentials = AnonymousCredentials()
        credentials.token = "s3cret"
        builder = source_builder(address, subscription).with_credentials(credentials)
        return builder.with_credentials_file("/keys/s3cret.json").build()


@pytest.mark.long
class TestPubSubSink(SinkConformance):
    secrets = ("s3cret",)
    exactly_once = False

    @pytest.fixture(autouse=True)
    def _server(self, pubsub: PubSubServer) -> None:
        self.pubsub = pubsub
        self.topics: dict[Path, str] = {}

    def record(self, number: int) -> str:
        return f"r{number}"

    def create(self, folder: Path) -> PubSubSink:
        if folder not in self.topics:
            self.topics[folder], _ = self.pubsub.topic()
        return self.of(self.pubsub.address, self.topics[folder])

    def written(self, folder: Path) -> Iterable[str]:
        return [data.decode() for data in self.pubsub.drain(self.topics[folder])]

    def unreachable(self) -> PubSubSink:
        sink = self.of(AWAY, "away")
        sink.settings = replace(sink.settings, confirm_s=1.0)
        sink.backoff = Backoff(retries=1, initial_ms=1)
        return sink

    def of(self, address: str, topic: str) -> PubSubSink:
        return sink_builder(address, topic).with_credentials_file("/keys/s3cret.json").build()


def stream_of(source: PubSubSource, watermarks: WatermarkStrategy | None = None) -> Any:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return env.from_source(source, watermarks or WatermarkStrategy.no_watermarks(), "in")


def first(source: PubSubSource, count: int) -> list[Any]:
    """The first records of a job that reads a source."""
    return stream_of(source).execute_and_collect(limit=count)


def run_sink(sink: PubSubSink, records: list[Any]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection(records).sink_to(sink)
    env.execute()


@pytest.mark.parametrize("executor", ["spark"], indirect=True)
def test_a_job_on_spark_reads_one_topic_and_writes_another(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic()
    target, result = pubsub.topic()
    pubsub.publish(topic, [f"text {n}".encode() for n in range(200)])
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    lines = env.add_source(source_builder(pubsub.address, subscription).build()).uid("in")
    lines.map(str.upper, Types.STRING()).sink_to(sink_builder(pubsub.address, target).build()).uid("out")
    job = env.execute_async()
    found: list[bytes] = []

    def look() -> bool:
        found.extend(pubsub.drain(result))
        return len(found) >= 200

    wait_until(look, "200 messages", every_s=0.2, seen=lambda: found)
    job.cancel().result()
    assert sorted(found) == sorted(f"TEXT {n}".encode() for n in range(200))
    assert pubsub.drain(subscription) == []


@pytest.mark.parametrize("emulator", ["by the environment", "by the builders"])
def test_jobs_as_in_flinks_documentation(pubsub: PubSubServer, monkeypatch: pytest.MonkeyPatch, emulator: str) -> None:
    """Flink's examples for Java, in Python's spelling: a sink, a source, and their tests against an emulator."""
    topic, subscription = pubsub.topic()
    host_and_port = pubsub.address
    records = [f"text {n}" for n in range(100)]
    env = StreamExecutionEnvironment.get_execution_environment()

    serialization_schema = SimpleStringSchema()
    pubsub_sink = (
        PubSubSink.new_builder()
        .with_serialization_schema(serialization_schema)
        .with_project_name(PROJECT)
        .with_topic_name(topic)
    )
    deserializer = SimpleStringSchema()
    pubsub_source = (
        PubSubSource.new_builder()
        .with_deserialization_schema(deserializer)
        .with_project_name(PROJECT)
        .with_subscription_name(subscription)
    )
    if emulator == "by the environment":
        monkeypatch.setenv("PUBSUB_EMULATOR_HOST", host_and_port)
    else:
        pubsub_sink = pubsub_sink.with_host_and_port_for_emulator(host_and_port)
        pubsub_source = pubsub_source.with_host_and_port_for_emulator(host_and_port)
        pubsub_source = pubsub_source.with_pub_sub_subscriber_factory(10, Duration.of_seconds(15), 100)

    env.from_collection(records).add_sink(pubsub_sink.build())
    env.execute()
    assert sorted(env.add_source(pubsub_source.build()).execute_and_collect(limit=100)) == sorted(records)


def test_more_messages_than_a_request_and_an_epoch(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic()
    run_sink(sink_builder(pubsub.address, topic).build(), [f"{n}" for n in range(7000)])
    for most in (100, 2000):
        source = source_builder(pubsub.address, subscription).with_pub_sub_subscriber_factory(most).build()
        assert sorted(map(int, first(source, 7000))) == list(range(7000))
        assert pubsub.drain(subscription) == []
        pubsub.publish(topic, [f"{n}".encode() for n in range(7000)])


def test_large_messages(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic()
    texts = [f"{n}" * 1_000_000 for n in range(9)]
    run_sink(sink_builder(pubsub.address, topic).build(), texts)
    assert sorted(first(source_builder(pubsub.address, subscription).build(), 9)) == texts
    too_large = "x" * 10_000_001
    with pytest.raises(
        JobError, match=r"cannot write the record 'xxx.*: its message has 10,000,001 bytes; Pub/Sub takes 10,000,000"
    ) as failed:
        run_sink(sink_builder(pubsub.address, topic).build(), ["a", too_large])
    assert not failed.value.transient and len(str(failed.value)) < 5000
    with pytest.raises(JobError, match=r"the record '': its message would be empty"):
        run_sink(sink_builder(pubsub.address, topic).build(), ["a", ""])


class Whole(PubSubDeserializationSchema):
    def deserialize(self, message: PubsubMessage) -> Any:
        if message.data == b"none":
            return None
        return message.data.decode(), dict(message.attributes), message.ordering_key, message.message_id


class Timed(ProcessFunction):
    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Any:
        yield value, ctx.timestamp()


def test_attributes_keys_ids_and_publish_times(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic(enable_message_ordering=True)
    began = time.time() * 1000
    builder = sink_builder(pubsub.address, topic).with_ordering_key(lambda text: text[0])
    run_sink(builder.with_attributes(lambda text: {"length": f"{len(text)}"}).build(), ["a", "none", "bcd"])
    source = source_builder(pubsub.address, subscription, Whole()).build()
    stream = stream_of(source, WatermarkStrategy.for_monotonous_timestamps())
    found = stream.process(Timed()).execute_and_collect(limit=2)
    by_text = {record[0][0]: record for record in found}
    assert {text: value[:3] for text, (value, _) in by_text.items()} == {
        "a": ("a", {"length": "1"}, "a"),
        "bcd": ("bcd", {"length": "3"}, "b"),
    }
    assert all(began - 2000 < at < began + 60_000 for _, at in found)
    assert len({value[3] for value, _ in found}) == 2


def test_the_order_of_messages_with_a_key_is_kept_though_there_are_several_tasks(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic(enable_message_ordering=True)
    records = [f"{key}{n}" for n in range(10) for key in "abc"]
    run_sink(sink_builder(pubsub.address, topic).with_ordering_key(lambda text: text[0]).build(), records)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(3)
    stream = env.from_source(
        source_builder(pubsub.address, subscription).build(), WatermarkStrategy.no_watermarks(), "in"
    )
    found = stream.execute_and_collect(limit=len(records))
    for key in "abc":
        assert [text for text in found if text[0] == key] == [text for text in records if text[0] == key]


def context_of(tmp_path: Path) -> tuple[EnumeratorContext, ReaderContext]:
    spool = Spool(str(tmp_path), "uid")
    metrics = MetricRegistry("job", "source", "uid", 0).group
    return (
        EnumeratorContext("job", "uid", 3, _LOGGER, spool),
        ReaderContext("job", "uid", 3, False, metrics, _LOGGER, spool),
    )


def test_as_many_tasks_pull_as_the_order_allows(
    pubsub: PubSubServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place, _ = context_of(tmp_path)
    start, end = {"epoch": 0, "most": 0}, {"epoch": 1, "most": 10}
    for of_subscription in (False, True):
        _, subscription = pubsub.topic(enable_message_ordering=of_subscription)
        for told in (None, False, True):
            builder = source_builder(pubsub.address, subscription)
            if told is not None:
                builder.with_message_ordering(told)
            splits = builder.build().create_enumerator(place).splits(start, end, 3)
            ordered = of_subscription if told is None else told
            assert [split.most for split in splits] == ([10] if ordered else [4, 4, 4])
    assert not caplog.records
    missing = source_builder(pubsub.address, "missing").build().create_enumerator(place)
    assert len(missing.splits(start, end, 3)) == 3
    assert "whether the subscription keeps the order of messages is not known" in caplog.text


def test_a_message_that_is_delivered_again_is_read_once(pubsub: PubSubServer, tmp_path: Path) -> None:
    topic, subscription = pubsub.topic(deadline_s=1)
    pubsub.publish(topic, [b"a", b"b"])
    place, reading = context_of(tmp_path)
    source = quick(source_builder(pubsub.address, subscription).build())
    enumerator = source.create_enumerator(place)
    (split,) = enumerator.splits({"epoch": 0, "most": 0}, {"epoch": 1, "most": 10}, 1)
    stored: list[list[Message]] = []

    class Dies(PubSubSource):
        def connect(self) -> Any:
            connection = super().connect()
            connection.acknowledge = stored.append  # the service never learns of it
            return connection

    dying = Dies(source.settings)
    reader = dying.create_reader(reading)
    assert sorted(record for batch in reader.read(split) for record in batch.records) == ["a", "b"]
    assert len(stored[0]) == 2
    reader.close()
    pubsub.publish(topic, [b"c"])
    again = source.create_reader(reading)
    found: list[Any] = []

    def look() -> bool:
        nonlocal split
        split = replace(split, epoch=split.epoch + 1)
        found.extend(record for batch in again.read(split) for record in batch.records)
        return bool(found) and not pubsub.take(subscription, 10)

    wait_until(look, "all read", 20)
    again.close()
    assert found == ["c"]
    replayed = source.create_reader(reading)
    first_epoch = [record for batch in replayed.read(replace(split, epoch=1)) for record in batch.records]
    assert sorted(first_epoch) == ["a", "b"]
    replayed.close()


def test_what_is_here_for_long_is_extended_and_what_missed_its_deadline_is_left_to_others(
    pubsub: PubSubServer,
) -> None:
    topic, subscription = pubsub.topic(deadline_s=2)
    pubsub.publish(topic, [b"a"])
    connection: Any = quick(source_builder(pubsub.address, subscription).build(), 2).connect()
    pulled: list[Message] = []
    wait_until(lambda: bool(pulled.extend(connection.pull(5)) or pulled), "a message")
    until = time.monotonic() + 5
    wait_until(lambda: time.monotonic() > until or bool(pubsub.take(subscription, 5)), "nothing")
    assert time.monotonic() > until, "it was delivered again though its deadline is extended"
    assert connection.held(pulled) == pulled
    connection.extend = lambda: None  # as in a process that is stopped
    again: list[Any] = []
    wait_until(lambda: bool(again.extend(pubsub.take(subscription, 5)) or again), "delivered again", 20)
    assert connection.held(pulled) == []
    connection.close()


def test_what_is_left_to_others_is_not_kept_from_them(pubsub: PubSubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    topic, subscription = pubsub.topic(deadline_s=2)
    pubsub.publish(topic, [b"a"])
    connection: Any = quick(source_builder(pubsub.address, subscription).build(), 2).connect()
    pulled: list[Message] = []
    wait_until(lambda: bool(pulled.extend(connection.pull(5)) or pulled), "a message")
    monkeypatch.setattr("datastream.connectors.pubsub.pulling._MARGIN", 100)  # all deadlines are about to pass
    assert connection.held(pulled) == []
    again: list[Any] = []
    wait_until(lambda: bool(again.extend(pubsub.take(subscription, 5)) or again), "delivered again", 20)
    connection.close()


def test_what_was_pulled_and_not_stored_goes_back_at_once(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic(deadline_s=60)
    pubsub.publish(topic, [b"a", b"b", b"c"])
    connection: Any = source_builder(pubsub.address, subscription).build().connect()
    pulled: list[Message] = []
    wait_until(lambda: bool(pulled.extend(connection.pull(1)) or pulled), "a message")
    connection.acknowledge(pulled)
    connection.close()
    rest = {b"a", b"b", b"c"} - {pulled[0].body[0]}
    assert set(pubsub.drain(subscription)) == rest


def test_a_new_job_starts_at_a_time(pubsub: PubSubServer, tmp_path: Path) -> None:
    topic, subscription = pubsub.topic()
    pubsub.publish(topic, [b"old", b"older"])
    now = int(time.time() * 1000) + 1
    wait_until(lambda: time.time() * 1000 > now + 1, "later", every_s=0.001)
    source = source_builder(pubsub.address, subscription).with_start_from_timestamp(now).build()
    place, _ = context_of(tmp_path)
    # Google's in-memory server ends when it seeks to a time before its last message.
    assert source.create_enumerator(place).initial_offset() == {"epoch": 0, "most": 0}
    pubsub.publish(topic, [b"new"])
    assert pubsub.drain(subscription) == [b"new"]
    snapshot = source_builder(pubsub.address, subscription).with_start_from_snapshot("daily").build()
    # Google's in-memory server has no snapshots, and says so: the request has reached it.
    with pytest.raises(JobError, match="unhandled Seek target type .*SeekRequest_Snapshot"):
        first(snapshot, 1)


def test_a_message_that_cannot_be_read_is_named_or_goes_aside(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic()
    schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.LONG()]))
    poison = b'{"n": oh no' + b"x" * 1000
    ids = pubsub.publish(topic, [b'{"n": 1}', poison])
    says = rf"the message {ids[1]} of the subscription '{subscription}' cannot be read: .*its data: b'{{\"n\": oh noxx"
    with pytest.raises(JobError, match=says) as failed:
        first(source_builder(pubsub.address, subscription, schema).build(), 3)
    assert "x" * 500 not in str(failed.value)
    pubsub.publish(topic, [b'{"n": 1}', poison])
    tag = OutputTag("unreadable")
    stream = stream_of(source_builder(pubsub.address, subscription, schema.with_dead_letters(tag)).build())
    with stream.get_side_output(tag).execute_and_collect() as letters:
        letter = next(letters)
    assert letter.data == poison and letter.topic == subscription


def both(address: str, name: str) -> list[Callable[[], Any]]:
    """A job with a source, and one with a sink."""
    sink = sink_builder(address, name).build()
    sink.settings = replace(sink.settings, confirm_s=1.0)
    sink.backoff = Backoff(retries=1, initial_ms=1)
    return [lambda: first(source_builder(address, name).build(), 1), lambda: run_sink(sink, ["a"])]


def test_a_server_that_is_away_is_named_and_may_come_back() -> None:
    for run in both(AWAY, "q"):
        with pytest.raises(JobError, match=r"Pub/Sub of the project 'tests' at 127.0.0.1:9 is away for the") as failed:
            run()
        assert failed.value.transient


def test_topics_and_subscriptions_that_are_missing(pubsub: PubSubServer) -> None:
    for run, what in zip(both(pubsub.address, "missing"), ("subscription", "topic"), strict=True):
        with pytest.raises(JobError, match=f"the {what} 'missing' is not there: .*create it first") as failed:
            run()
        assert not failed.value.transient


def test_a_subscription_that_is_deleted_while_it_is_read(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic()
    pubsub.publish(topic, [b"a"])
    with stream_of(source_builder(pubsub.address, subscription).build()).execute_and_collect() as results:
        assert next(results) == "a"
        pubsub.delete(subscription)
        with pytest.raises(JobError, match=f"the subscription '{subscription}' is not there"):
            next(results)


def test_functions_that_fail_are_named(pubsub: PubSubServer) -> None:
    topic, _ = pubsub.topic()
    wrong: list[tuple[str, Any, str]] = [
        ("with_ordering_key", lambda text: 7, "with_ordering_key returned 7, expected a text"),
        ("with_ordering_key", lambda text: text[9], "with_ordering_key raised IndexError: .* for the record 'abc'"),
        ("with_attributes", lambda text: {"n": 7}, r"with_attributes returned \{'n': 7\}, expected"),
        ("with_attributes", lambda text: {"topic": "a"}, "no attribute of the name 'topic'"),
    ]
    for name, function, says in wrong:
        builder = sink_builder(pubsub.address, topic)
        getattr(builder, name)(function)
        with pytest.raises(JobError, match=says):
            run_sink(builder.build(), ["abc"])
    assert pubsub.drain(topic) == []


def test_a_record_that_cannot_be_written_is_named(pubsub: PubSubServer) -> None:
    topic, _ = pubsub.topic()
    with pytest.raises(JobError, match="PubSubSink cannot write the record 7: SimpleStringSchema writes str"):
        run_sink(sink_builder(pubsub.address, topic).build(), ["a", 7])
    assert pubsub.drain(topic) == []


def test_a_closed_client_tells_its_threads_that_nothing_is_sent() -> None:
    """Those that try again to send what was not sent would end by any other error, which nothing catches."""
    client = Service(PROJECT, emulator=AWAY).publisher()
    client.close()
    with pytest.raises(Cancelled, match="the client is closed"):
        client._gapic_publish(topic="projects/p/topics/t", messages=[], timeout=1)  # what its threads call


def test_a_server_that_does_not_answer_for_a_while(own_pubsub: OwnPubSubServer) -> None:
    topic, subscription = own_pubsub.topic()
    sink = sink_builder(own_pubsub.address, topic).build()
    sink.settings = replace(sink.settings, confirm_s=1.0)
    sink.backoff = Backoff(retries=100, initial_ms=100, factor=1)
    metrics = MetricRegistry("job", "sink", "uid", 0).group
    connection = sink.connect(WriterContext("job", "uid", 0, 1, metrics, _LOGGER, Spool(None, "uid")))
    connection.publish(["a"])
    own_pubsub.pause()
    with pytest.raises(ConnectionError, match="is away for the topic"):
        connection.publish(["b"])
    reading = source_builder(own_pubsub.address, subscription).build().connect()
    assert reading.pull(5) == []
    own_pubsub.resume()
    connection.close()
    connection = sink.connect(WriterContext("job", "uid", 0, 1, metrics, _LOGGER, Spool(None, "uid")))
    connection.publish(["c"])
    connection.close()
    found: set[bytes] = set()
    wait_until(lambda: bool(found.update(m.body[0] for m in reading.pull(5)) or {b"a", b"c"} <= found), "messages")
    reading.close()


def test_messages_with_attributes_alone(pubsub: PubSubServer) -> None:
    topic, subscription = pubsub.topic()
    pubsub.publish(topic, [Sent(attributes={"kind": "ping"})])
    ((data, attributes, _, _),) = first(source_builder(pubsub.address, subscription, Whole()).build(), 1)
    assert (data, attributes) == ("", {"kind": "ping"})


def test_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SimpleStringSchema()

    def source() -> PubSubSourceBuilder:
        builder = PubSubSource.new_builder().with_deserialization_schema(text)
        return builder.with_project_name("p").with_subscription_name("s")

    def sink() -> PubSubSinkBuilder:
        builder = PubSubSink.new_builder().with_serialization_schema(ByteArraySchema())
        return builder.with_project_name("p").with_topic_name("t")

    assert source().build().settings.path == "projects/p/subscriptions/s"
    assert sink().with_topic_name("projects/q/topics/t").build().settings.path == "projects/q/topics/t"
    assert source().build().settings.service.emulator is None
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", "localhost:8085")
    assert source().build().settings.service.emulator == "localhost:8085"
    assert sink().with_host_and_port_for_emulator("other:1").build().settings.service.emulator == "other:1"
    monkeypatch.delenv("PUBSUB_EMULATOR_HOST")
    assert pickle.loads(pickle.dumps(sink().with_credentials(AnonymousCredentials()).build())).settings.topic == "t"
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: PubSubSource.new_builder().build(), "with_deserialization_schema needs"),
        (lambda: PubSubSource.new_builder().with_deserialization_schema(text).build(), "with_subscription_name needs"),
        (lambda: source().with_project_name(None).build(), "with_project_name was not called"),  # type: ignore[arg-type]
        (lambda: source().with_project_name("").build(), "not empty"),
        (lambda: source().with_pub_sub_subscriber_factory(0), "max_messages_per_pull must be"),
        (lambda: source().with_start_from_timestamp(-1), "ms since 1970"),
        (lambda: source().with_start_from_timestamp(1).with_start_from_snapshot("s").build(), "not from both"),
        (lambda: source().with_credentials("s3cret").build(), "needs google.auth's Credentials, got str"),
        (lambda: source().with_credentials_file(["s3cret"]).build(), "not empty, got list"),  # type: ignore[arg-type]
        (lambda: PubSubSink.new_builder().build(), "with_serialization_schema needs"),
        (lambda: sink().with_topic_name("").build(), "with_topic_name needs a name"),
        (lambda: sink().with_batch_settings(max_messages=1001), "max_messages must be a number from 1 to 1000"),
        (lambda: sink().with_batch_settings(max_bytes=10_000_001), "max_bytes must be"),
        (lambda: sink().with_ordering_key("key"), "needs a function"),  # type: ignore[arg-type]
        (lambda: source().with_credentials_file("/missing/s3cret.json").build().validate(), "the credentials file"),
    ]
    for make, says in wrong:
        with pytest.raises(ValidationError, match=says) as failed:
            make()
        assert "s3cret" not in str(failed.value)


_STARTS = """
import subprocess, sys, threading
from datastream.connectors.pubsub import PubSubSource
from datastream.formats import SimpleStringSchema
builder = PubSubSource.new_builder().with_deserialization_schema(SimpleStringSchema()).with_project_name("p")
service = builder.with_subscription_name("s").with_host_and_port_for_emulator(sys.argv[1]).build().settings.service
client, stopped = service.subscriber(), threading.Event()

def ask():
    while not stopped.is_set():
        list(client.list_subscriptions(project="projects/p"))

asking = threading.Thread(target=ask)
asking.start()
# With a function that runs between fork and exec, as Java and installers of packages are started.
codes = {subprocess.run(["true"], preexec_fn=int).returncode for _ in range(600)}
stopped.set()
asking.join()
print(codes)
"""


def test_programs_are_started_while_the_client_works(pubsub: PubSubServer) -> None:
    """gRPC's own handlers of forks aborted about one in a hundred of them."""
    environment = {name: value for name, value in os.environ.items() if name != "GRPC_ENABLE_FORK_SUPPORT"}
    command = [sys.executable, "-c", _STARTS, pubsub.address]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "{0}", done.stderr
