"""What goes wrong: each has a defined outcome."""

from __future__ import annotations

import logging
import pickle

import pytest
from confluent_kafka import KafkaError, TopicPartition

from datastream import ValidationError
from datastream.connectors.kafka import (
    DataLoss,
    KafkaFailure,
    KafkaOffsetsInitializer,
    KafkaSource,
    KafkaTopicPartition,
)
from datastream.connectors.kafka.client.errors import is_final, is_passing
from datastream.formats import SimpleStringSchema
from tests.support.drive import driven, read
from tests.support.kafka.sources import builder, drain, eventually
from tests.support.servers.kafka import ALICE


def secured(listener, topic, properties):
    made = KafkaSource.builder().set_bootstrap_servers(listener.bootstrap).set_topics(topic)
    return made.set_value_only_deserializer(SimpleStringSchema()).set_properties(properties)


def expire(kafka, topic, before):
    kafka.admin().delete_records([TopicPartition(topic, 0, before)])
    eventually(lambda: kafka.read(topic)[0].offset == before)


def at(topic, offset):
    return {"partitions": {topic: {"0": offset}}, "stop": None}


def test_a_missing_topic(kafka):
    topic = kafka.topic(prefix="clicks")
    with pytest.raises(ValidationError, match=f"topic '{topic}x' does not exist.*similar names: .*{topic}"):
        builder(kafka, f"{topic}x").build().validate()
    with pytest.raises(ValidationError, match="topic '!' does not exist.*; there are: "):
        builder(kafka, "!").build().validate()
    with pytest.raises(ValidationError, match=f"topic '{topic}' has no partition 4: it has 1"):
        builder(kafka, partitions={KafkaTopicPartition(topic, 4)}).build().validate()


def test_a_pattern_without_topics(kafka, caplog):
    builder(kafka, pattern="never-.*").build().validate()
    assert "no topic matches 'never-.*'" in caplog.text
    bounded = builder(kafka, pattern="never-.*").set_bounded(KafkaOffsetsInitializer.latest()).build()
    with pytest.raises(ValidationError, match="no topic matches 'never-"):
        bounded.validate()


@pytest.mark.long
def test_no_broker(caplog):
    made = KafkaSource.builder().set_bootstrap_servers("127.0.0.1:1").set_topics("t")
    made.set_value_only_deserializer(SimpleStringSchema()).set_property("default.api.timeout.ms", "1500")
    with pytest.raises(KafkaFailure, match="cannot list the topics at .*127.0.0.1:1.*check the address.*Tried for"):
        made.build().validate()
    assert "cannot list the topics at 127.0.0.1:1: _TRANSPORT; trying again" in caplog.text
    with pytest.raises(KafkaFailure, match="Nothing is lost"):
        driven(made.build()).initial_offset()


def test_an_unknown_property(kafka):
    with pytest.raises(ValidationError, match='No such configuration property: "fetch.min.byte"'):
        builder(kafka, "t").set_property("fetch.min.byte", "1").build().validate()
    with pytest.raises(ValidationError, match="auto.offset.reset: expected earliest, latest or none, got 'now'"):
        builder(kafka, "t").set_property("auto.offset.reset", "now").build()


@pytest.mark.parametrize("listener", ["secured", "secured_tls"])
def test_passwords(kafka, listener, tmp_path, caplog):
    there = getattr(kafka, listener)
    topic = kafka.topic()
    kafka.produce(topic, ["v"])
    right = there.java_properties("admin", trust=tmp_path / "trust.pem")
    source = secured(there, topic, right).build()
    source.validate()
    source = driven(source)
    assert drain(source, source.initial_offset())[0] == ["v"]
    wrong = secured(there, topic, there.java_properties("admin", "hunter2x", trust=tmp_path / "trust.pem"))
    caplog.set_level(logging.DEBUG)
    # The test's own limit of time is what tells "at once" from a time-out of 300 s.
    source = wrong.set_property("default.api.timeout.ms", "300000").build()
    with pytest.raises(ValidationError, match="check sasl.mechanism, sasl.username and sasl.password") as failed:
        source.validate()
    source = driven(source)
    with pytest.raises(KafkaFailure, match="sasl.password"):
        source.initial_offset()
    with pytest.raises(KafkaFailure, match=f"read topic '{topic}'.*sasl.password") as again:
        read(source, at(topic, 0), at(topic, 1))
    assert "hunter2x" not in f"{failed.value} {again.value} {caplog.text} {source.source!r}"


def test_rights(kafka):
    there = kafka.secured
    topic, hidden = kafka.topic(), kafka.topic()
    kafka.produce(topic, ["v"])
    kafka.allow(ALICE, "READ", "DESCRIBE", topic=topic)
    # She has no right to any group, and needs none to read.
    source = secured(there, topic, there.client_config(ALICE)).set_group_id("not-hers").build()
    source.validate()
    source = driven(source)
    records, end = drain(source, source.initial_offset())
    assert records == ["v"]
    with pytest.raises(ValidationError, match=f"topic '{hidden}' does not exist, or the user may not describe it"):
        secured(there, hidden, there.client_config(ALICE)).build().validate()
    kafka.produce(hidden, ["v"])
    for may_describe in (False, True):
        if may_describe:
            kafka.allow(ALICE, "DESCRIBE", topic=hidden)
        with pytest.raises(KafkaFailure, match="TOPIC_AUTHORIZATION_FAILED.*grant the user READ"):
            read(source, at(hidden, 0), at(hidden, 1))


def test_a_failed_commit_for_want_of_rights_is_a_warning(kafka, caplog):
    there = kafka.secured
    topic = kafka.topic()
    source = secured(there, topic, there.client_config(ALICE)).set_group_id("not-hers").build()
    source = driven(source)
    source.commit(at(topic, 0))
    source.close()
    assert "the job itself is not affected" in caplog.text
    assert "GROUP_AUTHORIZATION_FAILED" in caplog.text and there.password(ALICE) not in caplog.text


def expired(kafka):
    topic = kafka.topic()
    kafka.produce(topic, map(str, range(100)))
    expire(kafka, topic, 60)
    return topic


def test_expired_offsets_fail_the_job(kafka):
    topic = expired(kafka)
    source = driven(builder(kafka, topic).build())
    message = f"topic '{topic}', partition 0: the job wants to go on at offset 10, but available are offsets 60 to 100"
    with pytest.raises(DataLoss, match=f"{message}.*expired.*auto.offset.reset"):
        source.latest_offset(at(topic, 10), 1_000)
    with pytest.raises(DataLoss, match=message):
        read(source, at(topic, 10), at(topic, 90))


@pytest.mark.parametrize(
    ("policy", "planned", "whole", "early"),
    [("earliest", range(60, 100), range(60, 90), []), ("latest", [], [], [])],
)
def test_expired_offsets_with_a_policy(kafka, caplog, policy, planned, whole, early):
    topic = expired(kafka)
    source = builder(kafka, topic).set_property("auto.offset.reset", policy).build()
    records, end = drain(source, at(topic, 10))
    assert records == [str(i) for i in planned]
    assert end["partitions"] == {topic: {"0": 100}}
    assert f"auto.offset.reset={policy}" in caplog.text
    # What a worker finds out: an epoch that was planned before the records went.
    assert read(source, at(topic, 10), at(topic, 90)) == [str(i) for i in whole]
    assert read(source, at(topic, 10), at(topic, 50)) == early


def test_a_topic_made_anew(kafka, monkeypatch):
    monkeypatch.setattr("datastream.connectors.kafka.source.enumerator._GRACE_S", 0.2)
    topic = kafka.topic()
    kafka.produce(topic, ["0", "1"])
    source = driven(builder(kafka, topic).build())

    def plan():
        while True:
            source.latest_offset(at(topic, 50), 100)

    with pytest.raises(DataLoss, match="go on at offset 50, but available are offsets 0 to 2: .*made anew"):
        plan()
    with pytest.raises(DataLoss, match="go on at offset 50, but available are offsets 0 to 2: .*made anew"):
        read(source, at(topic, 50), at(topic, 60))
    willing = builder(kafka, topic).set_property("auto.offset.reset", "earliest").build()
    records, end = drain(willing, at(topic, 50), until=lambda found: found)
    assert records == ["0", "1"] and end["partitions"] == {topic: {"0": 2}}


def test_a_partition_that_became_shorter(kafka):
    topic = kafka.topic()
    kafka.produce(topic, ["0", "1"])
    source = builder(kafka, topic).set_property("default.api.timeout.ms", "300").build()
    with pytest.raises(KafkaFailure, match=r"partition 0, at offset 2 \(it ends at 2 now\)"):
        read(source, at(topic, 0), at(topic, 60))


@pytest.mark.parametrize(
    ("code", "said", "final"),
    [
        (KafkaError._AUTHENTICATION, "SASL authentication error: Authentication failed", True),
        (KafkaError._AUTHENTICATION, "SASL authentication error: Local: Broker transport failure", False),
        (KafkaError._SSL, "SSL handshake failed: certificate verify failed", True),
        (KafkaError._SSL, "SSL handshake failed: Disconnected", False),
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, "Broker: Topic authorization failed", True),
        (KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down", False),
    ],
)
def test_which_errors_will_not_pass(code, said, final):
    error = KafkaError(code, said)
    assert (is_final(error), is_passing(error)) == (final, not final)


def test_data_loss_travels():
    assert str(pickle.loads(pickle.dumps(DataLoss("gone")))) == "gone"


def test_brokers_that_are_away_for_a_while(own_kafka, caplog):
    topic = own_kafka.topic()
    own_kafka.produce(topic, map(str, range(10)))
    source = driven(builder(own_kafka, topic).build())
    records, end = drain(source, source.initial_offset())
    own_kafka.kill()
    assert source.latest_offset(end, 100) is end, "no news is not an error"
    eventually(lambda: source.latest_offset(end, 100) is end and "trying again for" in caplog.text)
    own_kafka.start()
    own_kafka.produce(topic, ["back"])
    more, _ = drain(source, end, until=lambda found: found)
    assert more == ["back"]
    assert f"{own_kafka.bootstrap} answers again after" in caplog.text


def test_a_reader_waits_for_its_broker(own_kafka):
    topic = own_kafka.topic()
    own_kafka.produce(topic, map(str, range(20_000)))
    source = driven(builder(own_kafka, topic).build())
    (split,) = source.splits(at(topic, 0), at(topic, 20_000), 1)
    blocks = source.read(split)
    found = list(next(blocks))
    own_kafka.kill()
    own_kafka.start()
    for block in blocks:
        found += block
    assert found == [str(i) for i in range(20_000)]


def test_a_reader_gives_up_in_the_end(own_kafka):
    topic = own_kafka.topic()
    own_kafka.produce(topic, ["v"])
    source = builder(own_kafka, topic).set_property("default.api.timeout.ms", "1500").build()
    own_kafka.kill()
    with pytest.raises(KafkaFailure, match=f"cannot read topic '{topic}', partition 0, at offset 0.*Nothing is"):
        read(source, at(topic, 0), at(topic, 1))
