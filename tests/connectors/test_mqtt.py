"""MQTT 5: with a crash before and after every call, and whatever goes wrong, on a real server."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.connectors.mqtt import (
    MqttConnection,
    MqttMessage,
    MqttSink,
    MqttSinkBuilder,
    MqttSource,
    MqttSourceBuilder,
    MqttTls,
)
from datastream.connectors.mqtt.consumer import Consumer
from datastream.errors import ValidationError
from datastream.formats import JsonRowDeserializationSchema, SerializationSchema, SimpleStringSchema
from datastream.functions import OutputTag
from datastream.io import Backoff, Sink
from datastream.testing.conformance import SinkConformance, SourceConformance
from datastream.time import WatermarkStrategy
from tests.support.open_sockets import open_sockets
from tests.support.servers.mqtt import MqttServer, OwnMqttServer
from tests.support.waiting import wait_until

AWAY = MqttConnection("127.0.0.1", 9, "reader", "s3cret", timeout_ms=2000)


@pytest.fixture(autouse=True)
def executor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run in this process, but for one test."""
    monkeypatch.setattr(settings(), "executor", getattr(request, "param", "local"))


def new_id() -> str:
    """A client id that nobody has."""
    return f"test-{uuid.uuid4().hex[:12]}"


def source_builder(connection: MqttConnection, topic: str, client_id: str | None = None) -> MqttSourceBuilder:
    return MqttSource.builder().set_connection(connection).set_topics(topic).set_client_id(client_id or new_id())


def source_of(connection: MqttConnection, topic: str, client_id: str | None = None) -> MqttSource:
    return source_builder(connection, topic, client_id).set_deserializer(SimpleStringSchema()).build()


def sink_builder(connection: MqttConnection, topic: Any) -> MqttSinkBuilder:
    builder = MqttSink.builder().set_connection(connection).set_topic(topic).set_serializer(SimpleStringSchema())
    return builder.set_backoff(Backoff(retries=1, initial_ms=1))


@pytest.mark.long
class TestMqttSource(SourceConformance):
    secrets = ("s3cret",)
    expected = [f"r{number}" for number in range(3)]
    parallelism = 1
    budget = 2
    most = 2
    exactly_once = False

    @pytest.fixture(autouse=True)
    def _server(self, mqtt: MqttServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mqtt = mqtt
        monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here

    def create(self, folder: Path) -> MqttSource:
        topic, client_id = self.mqtt.topic(), new_id()
        self.mqtt.keep(f"{client_id}-0", topic)
        self.mqtt.publish([(topic, record.encode()) for record in self.expected], UserProperty=[("id", "no")])
        return self.quick(source_of(self.mqtt.connection, topic, client_id))

    def quick(self, source: MqttSource) -> MqttSource:
        source.poll_ms = 0
        return source

    def twice(self, record: Any) -> bool:
        return not self.exactly_once

    def unreachable(self) -> MqttSource:
        return source_of(AWAY, "away")


@pytest.mark.long
class TestMqttSourceWithIds(TestMqttSource):
    exactly_once = True

    def create(self, folder: Path) -> MqttSource:
        topic, client_id = self.mqtt.topic(), new_id()
        self.mqtt.keep(f"{client_id}-0", topic)
        for record in self.expected:
            self.mqtt.publish([(topic, record.encode())], UserProperty=[("id", record)])
        builder = source_builder(self.mqtt.connection, topic, client_id).set_deserializer(SimpleStringSchema())
        return self.quick(builder.set_id_property("id").build())


@pytest.mark.long
@pytest.mark.parametrize("qos", [1, 2])
class TestMqttSink(SinkConformance):
    secrets = ("s3cret",)
    exactly_once = False

    @pytest.fixture(autouse=True)
    def _server(self, mqtt: MqttServer, qos: int) -> None:
        self.mqtt, self.qos = mqtt, qos
        self.topics: dict[Path, str] = {}

    def record(self, number: int) -> str:
        return f"r{number}"

    def create(self, folder: Path) -> Sink:
        if folder not in self.topics:
            topic = self.topics[folder] = self.mqtt.topic()
            self.mqtt.keep(topic, topic)
        return sink_builder(self.mqtt.connection, self.topics[folder]).set_qos(self.qos).build()

    def written(self, folder: Path) -> Iterable[str]:
        topic = self.topics[folder]
        return [message.payload.decode() for message in self.mqtt.drain(topic, topic)]

    def unreachable(self) -> Sink:
        return sink_builder(AWAY, "away").build()


def stream_of(source: MqttSource, parallelism: int = 1) -> Any:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "in")


def first(source: MqttSource, count: int, parallelism: int = 1) -> list[Any]:
    """The first records of a job that reads a source."""
    return list(stream_of(source, parallelism).execute_and_collect(limit=count))


def run_sink(sink: Sink, records: list[Any]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection(records).sink_to(sink)
    env.execute()


@pytest.mark.parametrize("executor", ["spark"], indirect=True)
def test_a_job_on_spark(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    shared = f"$share/{topic}/{topic}/in"
    for task in range(2):
        mqtt.keep(f"{client_id}-{task}", shared)
    mqtt.publish((f"{topic}/in", f"{n}".encode()) for n in range(100))
    with mqtt.subscribed(f"{topic}/out") as received:
        stream = stream_of(source_of(mqtt.connection, shared, client_id), 2)
        stream.sink_to(sink_builder(mqtt.connection, f"{topic}/out").build())
        job = stream.get_execution_environment().execute_async()
        wait_until(lambda: len(received) >= 100, "100 messages", every_s=0.2, seen=lambda: received)
        job.cancel().result()
    assert sorted(int(message.payload) for message in received) == list(range(100))


def test_more_messages_than_an_epoch_and_more_than_are_sent_ahead(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", f"{topic}/+")
    mqtt.publish((f"{topic}/{n % 3}", f"{n}".encode()) for n in range(2000))
    builder = source_builder(mqtt.connection, f"{topic}/+", client_id).set_deserializer(SimpleStringSchema())
    found = first(builder.set_receive_maximum(100).build(), 2000)
    assert list(map(int, found)) == list(range(2000)), "none is lost or doubled, and the order is the server's"


def test_workers_that_take_turns_receive_little_more_than_they_pull(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", topic)
    mqtt.publish((topic, f"{n}".encode()) for n in range(2000))
    received = 0

    class Counting(Consumer):
        def _take(self, message: Any) -> None:
            nonlocal received
            received += 1
            super()._take(message)

    subscription = source_of(mqtt.connection, topic, client_id).subscription
    workers = [Counting(subscription, 0, 1000) for _ in range(3)]
    found: list[int] = []
    turns = 0

    def take_turn() -> bool:
        nonlocal turns
        turns += 1
        worker = workers[turns % 3]
        pulled = worker.held(worker.pull(100))
        worker.acknowledge(pulled)
        found.extend(int(message.body.payload) for message in pulled)
        return len(found) >= 2000

    wait_until(take_turn, "2,000 messages", seen=lambda: found)
    assert found == list(range(2000)), "none is lost or doubled"
    assert received < 2000 + 300 * turns, "not all that is there, again in each turn"
    assert workers[0].pull(100) == []
    for worker in workers:
        worker.close()


def test_a_job_that_starts_again_goes_on_where_the_session_was(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", topic)
    for begin in (0, 100):
        mqtt.publish((topic, f"{n}".encode()) for n in range(begin, begin + 100))
        assert list(map(int, first(source_of(mqtt.connection, topic, client_id), 100))) == [*range(begin, begin + 100)]


def test_a_shared_subscription_is_spread_over_subtasks(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    shared = f"$share/{topic}/{topic}/#"
    for task in range(3):
        mqtt.keep(f"{client_id}-{task}", shared)
    mqtt.publish((f"{topic}/a", f"{n}".encode()) for n in range(300))
    found = first(source_of(mqtt.connection, shared, client_id), 300, parallelism=3)
    assert sorted(map(int, found)) == list(range(300))


def test_topics_that_are_not_shared_are_read_by_one_subtask(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", topic)
    mqtt.publish((topic, f"{n}".encode()) for n in range(100))
    assert list(map(int, first(source_of(mqtt.connection, topic, client_id), 100, parallelism=3))) == list(range(100))


def test_topic_and_properties_of_a_message(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", f"{topic}/#")
    pairs = [("id", "1"), ("a", "x"), ("a", "y")]
    mqtt.publish(
        [(f"{topic}/b", b"\x00")],
        2,
        UserProperty=pairs,
        ContentType="application/json",
        ResponseTopic="answers",
        CorrelationData=b"7",
    )
    builder = source_builder(mqtt.connection, f"{topic}/#", client_id).set_record_function(lambda message: message)
    (found,) = first(builder.build(), 1)
    assert found == MqttMessage(b"\x00", f"{topic}/b", 1, False, tuple(pairs), "application/json", "answers", b"7")


@pytest.mark.parametrize("qos", [0, 1])
def test_retained_messages_come_when_a_session_begins(mqtt: MqttServer, qos: int) -> None:
    topic = mqtt.topic()
    mqtt.publish([(f"{topic}/a", b"old")], retain=True)
    builder = source_builder(mqtt.connection, f"{topic}/#").set_retained(True).set_qos(qos)
    (found,) = first(builder.set_record_function(lambda message: message).build(), 1)
    assert found == MqttMessage(b"old", f"{topic}/a", qos, True)


def test_messages_with_equal_ids_are_read_once(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", topic)
    for id, payload in (("1", b"a"), ("1", b"a"), ("2", b"b")):
        mqtt.publish([(topic, payload)], UserProperty=[("id", id)])
    builder = source_builder(mqtt.connection, topic, client_id).set_deserializer(SimpleStringSchema())
    assert first(builder.set_id_property("id").build(), 2) == ["a", "b"]


@pytest.mark.parametrize(
    ("payload", "configure", "says"),
    [
        (b"nameless", lambda builder: builder.set_id_property("id"), "has no user property 'id': b'nameless'"),
        (
            b"x" * 101,
            lambda builder: builder.set_max_payload_size(100),
            "has 101 bytes, and max_payload_size is 100; raise it",
        ),
    ],
)
def test_a_message_that_is_wrong_is_named_and_stays(
    mqtt: MqttServer, payload: bytes, configure: Callable[[MqttSourceBuilder], Any], says: str
) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", topic)
    mqtt.publish([(topic, payload)])
    builder = source_builder(mqtt.connection, topic, client_id).set_deserializer(SimpleStringSchema())
    configure(builder)
    with pytest.raises(JobError, match=f"a message of the topic '{topic}' {says}"):
        first(builder.build(), 1)
    assert first(source_of(mqtt.connection, topic, client_id), 1) == [payload.decode()], "it is still there"


def test_a_payload_that_cannot_be_read_is_named_or_goes_aside(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", topic)
    schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.LONG()]))
    poison = b'{"n": oh no' + b"x" * 1000
    mqtt.publish([(topic, poison)])
    builder = source_builder(mqtt.connection, topic, client_id).set_deserializer(schema)
    with pytest.raises(
        JobError, match=rf"the topic '{topic}' cannot be read: .*its payload: b'{{\"n\": oh noxx"
    ) as failed:
        first(builder.build(), 1)
    assert "x" * 500 not in str(failed.value)
    mqtt.publish([(topic, poison)])
    tag = OutputTag("unreadable")
    stream = stream_of(builder.set_deserializer(schema.with_dead_letters(tag)).build())
    with stream.get_side_output(tag).execute_and_collect() as letters:
        letter = next(letters)
    assert letter.data == poison and letter.topic == topic


@pytest.mark.parametrize("qos", [0, 1, 2])
def test_a_sink_sets_topics_and_properties(mqtt: MqttServer, qos: int) -> None:
    topic = mqtt.topic()
    with mqtt.subscribed(f"{topic}/#") as received:
        builder = sink_builder(mqtt.connection, lambda record: f"{topic}/{record}").set_qos(qos).set_retain(True)
        builder.set_message_expiry(1000).set_content_type("text/plain")
        run_sink(builder.set_user_properties(lambda record: {"of": record}).build(), ["a", "b"])
        wait_until(lambda: len(received) == 2, "two messages", seen=lambda: received)
    assert [(each.topic, each.payload, each.qos) for each in received] == [
        (f"{topic}/a", b"a", qos),
        (f"{topic}/b", b"b", qos),
    ]
    properties = received[0].properties
    assert properties.ContentType == "text/plain" and properties.UserProperty == [("of", "a")]
    assert 900 < properties.MessageExpiryInterval <= 1000
    with mqtt.subscribed(f"{topic}/b") as retained:
        wait_until(lambda: bool(retained), "the retained message")
    assert retained[0].retain and retained[0].payload == b"b"


class Fails(SerializationSchema):
    def serialize(self, value: Any) -> bytes:
        return bytes(value)


def fail(record: Any) -> Any:
    raise KeyError(record)


@pytest.mark.parametrize(
    ("configure", "says"),
    [
        (lambda b: b.set_serializer(Fails()), "MqttSink cannot write the record 'a': TypeError"),
        (lambda b: b.set_topic(fail), "MqttSink: topic raised KeyError: 'a', for the record 'a'"),
        (lambda b: b.set_topic(lambda record: "a/#"), "'a/#' is no topic for the record 'a'"),
        (lambda b: b.set_user_properties(fail), "user_properties raised KeyError"),
        (lambda b: b.set_user_properties(lambda record: {"a": 1}), "must be a dict of texts, got {'a': 1}"),
    ],
)
def test_a_record_that_cannot_be_written_is_named(
    mqtt: MqttServer, configure: Callable[[MqttSinkBuilder], Any], says: str
) -> None:
    builder = sink_builder(mqtt.connection, mqtt.topic())
    configure(builder)
    with pytest.raises(JobError, match=says):
        run_sink(builder.build(), ["a"])


def test_a_message_that_is_larger_than_the_server_takes(mqtt: MqttServer) -> None:
    with pytest.raises(JobError, match=r"'big' has 2000000 bytes, and the server takes packets of at most 1000000"):
        run_sink(sink_builder(mqtt.connection, "big").build(), ["x" * 2_000_000])


def both(connection: MqttConnection, topic: str, qos: int = 1) -> list[Callable[[], Any]]:
    """A job with a source, and one with a sink."""
    sink = sink_builder(connection, topic).set_qos(qos).build()
    return [lambda: first(source_of(connection, topic), 1), lambda: run_sink(sink, ["a"])]


def test_a_server_that_is_away_may_come_back() -> None:
    for run in both(AWAY, "a"):
        with pytest.raises(JobError, match=r"MQTT at 127.0.0.1:9 is away.*refused") as failed:
            run()
        assert failed.value.transient and "s3cret" not in str(failed.value)


def test_a_wrong_password_is_not_waited_for_and_is_not_shown(mqtt: MqttServer) -> None:
    connection = MqttConnection(mqtt.host, mqtt.guarded_port, "reader", "wr0ng")
    assert "wr0ng" not in repr(connection) and "wr0ng" not in str(connection)
    for run in both(connection, "open/a"):
        with pytest.raises(JobError, match="refuses the user 'reader': Not authorized.*check the user") as failed:
            run()
        assert not failed.value.transient and "wr0ng" not in str(failed.value)


@pytest.mark.parametrize("qos", [1, 2])
def test_a_topic_that_the_user_may_not_write_to(mqtt: MqttServer, qos: int) -> None:
    connection = MqttConnection(mqtt.host, mqtt.guarded_port, "reader", "s3cret")
    with pytest.raises(JobError, match="refuses a message for the topic 'closed/a': Not authorized") as failed:
        run_sink(sink_builder(connection, "closed/a").set_qos(qos).build(), ["a"])
    assert not failed.value.transient
    run_sink(sink_builder(connection, "open/a").set_qos(qos).build(), ["a"])


def test_tls(mqtt: MqttServer) -> None:
    port, certificate = mqtt.tls
    topic, client_id = mqtt.topic(), new_id()
    connection = MqttConnection.of_url(f"mqtts://localhost:{port}", tls=MqttTls(certificate))
    mqtt.keep(f"{client_id}-0", topic)
    run_sink(sink_builder(connection, topic).build(), ["a"])
    assert first(source_of(connection, topic, client_id), 1) == ["a"]
    for run in both(MqttConnection.of_url(f"mqtts://localhost:{port}"), topic):
        with pytest.raises(JobError, match="CERTIFICATE_VERIFY_FAILED") as failed:
            run()
        assert not failed.value.transient
    for run in both(MqttConnection(tls=MqttTls("/none.pem")), topic):
        with pytest.raises(JobError, match="its files cannot be used"):
            run()


@pytest.mark.parametrize("qos", [1, 2])
def test_a_sink_writes_again_when_the_server_comes_back(own_mqtt: OwnMqttServer, qos: int) -> None:
    topic = own_mqtt.topic()
    own_mqtt.keep(topic, topic)
    own_mqtt.stop_gently()
    sink = sink_builder(own_mqtt.connection, topic).set_qos(qos).set_backoff(Backoff(retries=500, max_ms=50)).build()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection([f"{n}" for n in range(100)]).sink_to(sink)
    job = env.execute_async()
    own_mqtt.start()
    job.get_job_execution_result().result()
    assert {message.payload for message in own_mqtt.drain(topic, topic)} == {f"{n}".encode() for n in range(100)}


def test_a_source_reads_on_when_the_server_comes_back(own_mqtt: OwnMqttServer) -> None:
    topic, client_id = own_mqtt.topic(), new_id()
    own_mqtt.keep(f"{client_id}-0", topic)
    own_mqtt.publish((topic, f"{n}".encode()) for n in range(10))
    consumer = source_of(own_mqtt.connection, topic, client_id).consumer(0)
    assert len(consumer.held(consumer.pull(4))) == 4, "none of them is acknowledged"
    own_mqtt.stop_gently()
    with pytest.raises(ConnectionError, match="is away"):
        consumer.pull(4)
    own_mqtt.start()
    found: list[Any] = []

    def look() -> bool:
        pulled = consumer.pull(10)
        consumer.acknowledge(consumer.held(pulled))
        found.extend(message.body.payload for message in pulled)
        return len(found) >= 10

    wait_until(look, "ten messages", seen=lambda: found)
    consumer.close()
    assert found == [f"{n}".encode() for n in range(10)]
    own_mqtt.publish([(topic, b"last")])
    wait_until(lambda: [each.body.payload for each in consumer.pull(10)] == [b"last"], "what came after them")
    consumer.close()


def test_a_session_that_another_worker_has_taken_over_stores_nothing(mqtt: MqttServer) -> None:
    topic, client_id = mqtt.topic(), new_id()
    mqtt.keep(f"{client_id}-0", topic)
    mqtt.publish((topic, f"{n}".encode()) for n in range(10))
    source = source_of(mqtt.connection, topic, client_id)
    earlier, later = source.consumer(0), source.consumer(0)
    pulled = earlier.pull(5)
    assert len(pulled) == 5
    again = later.pull(10)
    assert [message.body for message in again][:5] == [message.body for message in pulled]
    with pytest.raises(ConnectionError):
        earlier.held(pulled)
    later.acknowledge(again)
    assert earlier.pull(1) == [], "it takes the session back, and what was acknowledged does not come again"
    earlier.close()
    later.close()


def test_a_closed_session_leaves_no_socket_open(mqtt: MqttServer) -> None:
    with open_sockets() as count:
        consumer = source_of(mqtt.connection, mqtt.topic()).consumer(0)
        consumer.pull(1)
        assert count() > 0
        consumer.close()
        assert count() == 0


def test_what_a_source_refuses() -> None:
    builder = MqttSource.builder()
    wrong: list[tuple[Callable[[], Any], str]] = [
        (builder.build, "needs set_connection"),
        (lambda: builder.set_connection("http://u:s3cret@h"), "the URL must look like 'mqtt://host:1883'"),
        (lambda: builder.set_connection(7), r"expected MqttConnection\(...\) or a URL, got int"),  # type: ignore[arg-type]
        (lambda: builder.set_topics(), "at least one filter"),
        (lambda: builder.set_topics("a/#/b"), "'#' for the last one"),
        (lambda: builder.set_topics("a+"), "stands for a whole level"),
        (lambda: builder.set_topics("$share/g"), "looks like"),
        (lambda: builder.set_topics("$share/g/a", "a"), "either all filters"),
        (lambda: builder.set_client_id(""), "not empty"),
        (lambda: builder.set_qos(2), "QoS 2 is not possible"),
        (lambda: builder.set_receive_maximum(0), "from 1 to 65535"),
        (lambda: builder.set_record_function(7), "needs a function"),  # type: ignore[arg-type]
        (lambda: builder.set_connection("mqtt://h").build(), "needs set_topics"),
        (lambda: builder.set_topics("a").build(), "needs set_client_id"),
        (lambda: builder.set_client_id("a").build(), "either set_deserializer or set_record_function"),
    ]
    for call, says in wrong:
        with pytest.raises(ValidationError, match=says) as failed:
            call()
        assert "s3cret" not in str(failed.value)


def test_what_a_sink_refuses() -> None:
    builder = MqttSink.builder()
    wrong: list[tuple[Callable[[], Any], str]] = [
        (builder.build, "needs set_connection"),
        (lambda: builder.set_topic("a/+"), "is no topic"),
        (lambda: builder.set_qos(3), "from 0 to 2"),
        (lambda: builder.set_serializer(7), "needs a SerializationSchema"),  # type: ignore[arg-type]
        (lambda: builder.set_connection("mqtt://h").build(), "needs set_topic"),
        (lambda: builder.set_topic("a").build(), "needs set_serializer"),
    ]
    for call, says in wrong:
        with pytest.raises(ValidationError, match=says):
            call()


def test_a_url_and_its_settings() -> None:
    connection = MqttConnection.of_url("mqtts://me:s%40cret@host")
    assert connection == MqttConnection("host", 8883, "me", "s@cret", MqttTls())
    assert "s@cret" not in repr(connection)
    source = source_of(connection, "a/#")
    assert repr(pickle.loads(pickle.dumps(source))) == "MqttSource(MQTT at host:8883, a/#)"
