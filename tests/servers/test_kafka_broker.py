"""The brokers that other tests rely on."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaException

from tests.support.servers.kafka import ALICE, Broker, OwnBroker
from tests.support.servers.kafka.broker import send


def test_what_is_produced_is_read_back(kafka: Broker) -> None:
    topic = kafka.topic(partitions=3)
    kafka.produce(topic, [("k", "v"), "alone", ("gone", None)], timestamp=1_700_000_000_000, headers={"h": "x"})
    found = kafka.read(topic)
    assert {(record.key, record.value) for record in found} == {(b"k", b"v"), (None, b"alone"), (b"gone", None)}
    assert {record.timestamp for record in found} == {1_700_000_000_000}
    assert {record.headers for record in found} == {(("h", b"x"),)}
    assert {record.partition for record in found} <= {0, 1, 2}


def test_a_partition_keeps_its_order(kafka: Broker) -> None:
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, map(str, range(5000)), partition=1)
    assert [int(record.value or b"") for record in kafka.read(topic, count=5000)] == list(range(5000))
    assert kafka.read(kafka.topic()) == []


def test_only_committed_transactions_are_read(kafka: Broker) -> None:
    topic = kafka.topic()
    producer = kafka.producer(transactional_id=topic)
    producer.init_transactions(30)
    for text, commit in (("first", True), ("second", False), ("third", True)):
        producer.begin_transaction()
        send(producer, topic, [text])
        if commit:
            producer.commit_transaction(30)
        else:
            producer.flush(30)
            producer.abort_transaction(30)
    producer.begin_transaction()
    send(producer, topic, ["open"])
    producer.flush(30)
    assert [record.value for record in kafka.read(topic)] == [b"first", b"third"]
    everything = [record.value for record in kafka.read(topic, committed=False)]
    assert everything == [b"first", b"second", b"third", b"open"]
    producer.abort_transaction(30)


def test_settings_and_size_of_a_topic(kafka: Broker) -> None:
    topic = kafka.topic(partitions=1, prefix="mine", max_message_bytes=2000)
    assert topic.startswith("mine-")
    with pytest.raises(KafkaException, match="MSG_SIZE_TOO_LARGE|too large"):
        kafka.produce(topic, ["x" * 5000])
    kafka.add_partitions(topic, 3)
    kafka.produce(topic, ["last"], partition=2)
    assert [record.partition for record in kafka.read(topic)] == [2]
    kafka.delete(topic)


@pytest.mark.parametrize("listener", ["secured", "secured_tls"])
def test_a_user_needs_a_password_and_rights(kafka: Broker, listener: str) -> None:
    topic, secured = kafka.topic(), getattr(kafka, listener)
    admin = Broker(secured.bootstrap).producer(**secured.client_config("admin"))
    send(admin, topic, ["by admin"])
    assert admin.flush(30) == 0

    alice = Broker(secured.bootstrap).producer(**secured.client_config(ALICE))
    with pytest.raises(KafkaException, match="TOPIC_AUTHORIZATION_FAILED|authorization failed"):
        send(alice, topic, ["without the right"])
        alice.flush(30)
    kafka.allow(ALICE, "WRITE", "DESCRIBE", topic=topic)
    alice = Broker(secured.bootstrap).producer(**secured.client_config(ALICE))
    send(alice, topic, ["by alice"])
    assert alice.flush(30) == 0
    assert [record.value for record in kafka.read(topic)] == [b"by admin", b"by alice"]

    stranger = Broker(secured.bootstrap).consumer(**secured.client_config(ALICE, "wrong"))
    with pytest.raises(KafkaException):
        stranger.list_topics(timeout=2)
    stranger.close()


def test_tls(kafka: Broker) -> None:
    topic = kafka.topic()
    producer = Broker(kafka.tls.bootstrap).producer(**kafka.tls.client_config())
    send(producer, topic, ["over TLS"])
    assert producer.flush(30) == 0
    assert [record.value for record in kafka.read(topic)] == [b"over TLS"]


def test_a_killed_broker_starts_again_with_its_data(own_kafka: OwnBroker) -> None:
    topic, bootstrap = own_kafka.topic(partitions=2), own_kafka.bootstrap
    own_kafka.produce(topic, ["before"], partition=1)
    for text in ("first", "second"):
        own_kafka.kill()
        assert not own_kafka.is_ready()
        own_kafka.start()
        own_kafka.produce(topic, [text], partition=1)
    assert own_kafka.bootstrap == bootstrap
    assert [record.value for record in own_kafka.read(topic)] == [b"before", b"first", b"second"]


def test_a_paused_broker_goes_on(own_kafka: OwnBroker) -> None:
    topic = own_kafka.topic()
    own_kafka.pause()
    assert not own_kafka.is_ready()
    own_kafka.resume()
    own_kafka.produce(topic, ["after"])
    assert [record.value for record in own_kafka.read(topic)] == [b"after"]
