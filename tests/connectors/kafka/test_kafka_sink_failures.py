"""What a Kafka sink does about messages that are refused, users without rights, and brokers that are away."""

import threading
import time

import pytest

from datastream.connectors.kafka import KafkaFailure
from datastream.errors import ValidationError
from datastream.io import Batch
from tests.support.drive import begun, context, write
from tests.support.kafka.sinks import AT_LEAST_ONCE, EXACTLY_ONCE, NONE, sink_of, text_serializer, values
from tests.support.servers.kafka import ALICE

PROMISED = [AT_LEAST_ONCE, EXACTLY_ONCE]
SECRET = "tr0ub4dor-and-3"


def failing(sink, rows, at=None):
    """The error of a task, which is then aborted."""
    writer = begun(sink, at or context())
    with pytest.raises(KafkaFailure) as raised:
        writer.write(Batch(rows))
        writer.prepare_commit()
    writer.abort()
    return str(raised.value)


@pytest.mark.parametrize("guarantee", PROMISED)
def test_too_large_for_the_topic(kafka, guarantee):
    topic = kafka.topic(max_message_bytes=2000)
    sink = sink_of(kafka, text_serializer(topic, key=True).build(), guarantee, prefix=topic)
    told = failing(sink, ["x" * 3000])
    assert f"cannot write a record to topic '{topic}', partition 0 (key b'xxx" in told
    assert "3,000 bytes) at " in told
    assert "MSG_SIZE_TOO_LARGE" in told
    assert "max.request.size of the producer and max.message.bytes of the topic" in told
    assert len(told) < 1000
    write(sink, context(attempt=1), ["small"])
    assert values(kafka, topic) == ["small"]


@pytest.mark.parametrize("guarantee", PROMISED)
def test_too_large_for_the_producer(kafka, guarantee):
    topic = kafka.topic()
    told = failing(sink_of(kafka, topic, guarantee, prefix=topic, max_request_size="2000"), ["x", "x" * 3000])
    assert f"topic '{topic}' (no key, 3,000 bytes)" in told
    assert "raise max.request.size" in told


@pytest.mark.parametrize("guarantee", [NONE, *PROMISED])
def test_large_messages(kafka, guarantee):
    topic = kafka.topic(max_message_bytes=8_000_000)
    sink = sink_of(kafka, topic, guarantee, prefix=topic, max_request_size="8000000", buffer_memory="1000000")
    sink.validate()
    write(sink, context(), ["x" * 7_000_000, "y" * 7_000_000], ["z"])
    assert [len(record.value) for record in kafka.read(topic, count=3)] == [7_000_000, 7_000_000, 1]


def test_without_a_guarantee_losses_are_counted_and_logged(kafka, caplog):
    topic = kafka.topic(max_message_bytes=2000)
    sink = sink_of(kafka, topic, NONE, max_request_size="100000")
    write(sink, context(), ["x" * 3000])
    write(sink, context(1), ["y" * 200_000], ["z"])
    kafka.read(topic, count=1)
    assert values(kafka, topic) == ["z"]
    assert "1 records of epoch 0 of sink s are lost: Kafka: cannot write a record to topic" in caplog.text
    assert "1 records of epoch 1 of sink s are lost" in caplog.text


@pytest.mark.long
@pytest.mark.parametrize("guarantee", PROMISED)
def test_a_topic_that_is_not_there(kafka, guarantee):
    topic = kafka.topic(prefix="orders")
    sink = sink_of(kafka, topic[:-1], guarantee, prefix=topic, topic_metadata_propagation_max_ms="500")
    with pytest.raises(
        ValidationError, match=rf"look up topic '{topic[:-1]}' .*create the topic.*; there are .*{topic}"
    ):
        sink.validate()
    told = failing(sink, ["a"])
    assert f"topic '{topic[:-1]}'" in told
    assert "create the topic" in told
    sink_of(kafka, topic, guarantee).validate()
    sink_of(kafka, text_serializer(str).build(), guarantee).validate()


def test_a_partitioner_of_a_topic_that_is_not_there(kafka):
    serializer = text_serializer("nowhere-at-all").set_partitioner(lambda *given: 0).build()
    assert "look up topic 'nowhere-at-all'" in failing(sink_of(kafka, serializer, AT_LEAST_ONCE), ["a"])


@pytest.mark.long
@pytest.mark.parametrize("guarantee", PROMISED)
def test_nobody_there(guarantee):
    sink = sink_of("127.0.0.1:1", "t", guarantee, delivery_timeout_ms="1500")
    told = failing(sink, ["a"])
    assert "127.0.0.1:1" in told
    assert "check the address" in told


def test_validation_of_an_address_where_nobody_is(monkeypatch):
    monkeypatch.setattr("datastream.connectors.kafka.sink.check.ANSWER_SECONDS", 1.0)
    with pytest.raises(KafkaFailure, match="KafkaSink: Kafka: cannot connect at 127.0.0.1:1: .*check the address"):
        sink_of("127.0.0.1:1", text_serializer(str).build(), NONE).validate()


@pytest.mark.long
@pytest.mark.parametrize("name", ["sasl.jaas.config", "sasl.password"])
@pytest.mark.parametrize("guarantee", [NONE, *PROMISED])
def test_a_wrong_password_is_told_at_once_and_not_shown(kafka, guarantee, name, caplog):
    caplog.set_level("DEBUG")
    topic = kafka.topic()
    given = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"}
    if name == "sasl.password":
        given |= {"sasl_username": ALICE, "sasl_password": SECRET}
    else:
        login = "org.apache.kafka.common.security.plain.PlainLoginModule"
        given["sasl_jaas_config"] = f'{login} required username="{ALICE}" password="{SECRET}";'
    sink = sink_of(kafka.secured.bootstrap, topic, guarantee, prefix=topic, **given)
    with pytest.raises(ValidationError, match="_AUTHENTICATION.*check sasl.mechanism, sasl.username and") as raised:
        sink.validate()
    texts = [str(raised.value), repr(sink), caplog.text]
    if guarantee is not NONE:
        texts.append(failing(sink, ["a"]))
        assert "check sasl.mechanism, sasl.username and sasl.password" in texts[-1]
    texts.append(caplog.text)
    assert SECRET not in "".join(texts)


@pytest.mark.long
@pytest.mark.parametrize("guarantee", PROMISED)
def test_rights_that_are_missing_and_those_that_suffice(kafka, guarantee):
    topic = kafka.topic()
    given = {name.replace(".", "_"): value for name, value in kafka.secured.client_config(ALICE).items()}
    given.pop("bootstrap_servers", None)
    sink = sink_of(kafka.secured.bootstrap, topic, guarantee, prefix=topic, **given)
    with pytest.raises(
        ValidationError, match=f"look up topic '{topic}' .*TOPIC_AUTHORIZATION_FAILED.*WRITE .*by an ACL"
    ):
        sink.validate()
    kafka.allow(ALICE, "DESCRIBE", topic=topic)
    sink.validate()
    id = f"{topic}-s-0"
    told = failing(sink, ["a"])
    if guarantee is EXACTLY_ONCE:
        assert "TRANSACTIONAL_ID_AUTHORIZATION_FAILED" in told
        assert "grant the user WRITE and DESCRIBE on the transactional id" in told
        kafka.allow(ALICE, "WRITE", "DESCRIBE", transactional_id=id)
        told = failing(sink, ["a"])
        assert "GROUP_AUTHORIZATION_FAILED" in told
        assert "READ on the consumer group" in told
        kafka.allow(ALICE, "READ", group=id)
        told = failing(sink, ["a"])
        assert "TOPIC_AUTHORIZATION_FAILED" in told
        assert topic in told
    else:
        assert "CLUSTER_AUTHORIZATION_FAILED" in told, "to write anywhere is right enough for idempotence"
    kafka.allow(ALICE, "WRITE", topic=topic)
    if guarantee is EXACTLY_ONCE:
        assert "TOPIC_AUTHORIZATION_FAILED" in failing(sink, ["a"]), "the marker is an offset on the topic"
        kafka.allow(ALICE, "READ", topic=topic)
    write(sink, context(), ["a"])
    write(sink, context(1), ["b"])
    assert values(kafka, topic) == ["a", "b"]


def away(broker, seconds, how="kill"):
    """Takes a broker away, and brings it back later; gives what waits for that."""
    if how == "kill":
        broker.kill()
        back = broker.start
    else:
        broker.pause()
        back = broker.resume
    timer = threading.Timer(seconds, back)
    timer.start()
    return timer.join


def through_an_absence(broker, seconds, how):
    for guarantee in PROMISED:
        topic = broker.topic(partitions=2)
        sink = sink_of(broker, topic, guarantee, prefix=topic)
        write(sink, context(0), ["0"])
        writer = begun(sink, context(1))
        writer.write(Batch(["1.0"]))
        wait = away(broker, seconds, how)
        for i in range(1, 2000):
            writer.write(Batch([f"1.{i}"]))
        writer.prepare_commit()
        wait()
        write(sink, context(2), ["2"])
        # A single broker that is killed within milliseconds of a commit may leave the transaction hanging for good.
        broker.read(topic, count=2002)
        time.sleep(1)
        wait = away(broker, seconds, how)
        write(sink, context(3), ["3"])
        wait()
        write(sink, context(3, attempt=1), [] if guarantee is AT_LEAST_ONCE else ["3"])
        assert values(broker, topic) == sorted(["0", "2", "3", *(f"1.{i}" for i in range(2000))])


# The session of a paused broker must not end meanwhile. When it goes on, it would say for an instant that the cluster
# has no brokers, since it is the only one; what clients make of that, client/rebootstrap.py tells.
ABSENCES = [
    pytest.param(3_000, "kill", marks=pytest.mark.xdist_group("kill")),
    pytest.param(90_000, "pause", marks=pytest.mark.xdist_group("pause")),
]


@pytest.mark.parametrize(("own_kafka", "how"), ABSENCES, indirect=["own_kafka"])
def test_brokers_that_are_away_for_a_while(own_kafka, how):
    through_an_absence(own_kafka, 2.0, how)


@pytest.mark.long
@pytest.mark.parametrize(("own_kafka", "how"), ABSENCES, indirect=["own_kafka"])
def test_brokers_that_are_away_for_half_a_minute(own_kafka, how):
    through_an_absence(own_kafka, 30.0, how)


def test_brokers_that_are_away_for_too_long(own_kafka):
    topic = own_kafka.topic()
    for guarantee in PROMISED:
        sink = sink_of(own_kafka, topic, guarantee, prefix=topic, delivery_timeout_ms="2000")
        writer = begun(sink, context(0))
        writer.write(Batch(["a"]))
        own_kafka.kill()
        with pytest.raises(KafkaFailure, match=f"at {own_kafka.bootstrap}: ") as raised:
            for _ in range(3):
                writer.write(Batch(["b"]))
            writer.prepare_commit()
        writer.abort()
        assert "check the address" in str(raised.value)
        own_kafka.start()
        write(sink, context(0, attempt=1), ["c"])
    assert values(own_kafka, topic).count("c") == 2
