"""What PyFlink's names of the source give and refuse; and the old ones."""

from __future__ import annotations

import pytest

from datastream import ValidationError
from datastream.connectors.kafka import (
    FlinkKafkaConsumer,
    FlinkKafkaConsumer010,
    FlinkKafkaConsumer011,
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaSource,
    KafkaTopicPartition,
)
from datastream.formats import SimpleStringSchema
from datastream.io import Source
from datastream.types import Types

BROKERS = {"bootstrap.servers": "127.0.0.1:1"}


@pytest.mark.usefixtures("pyflink")
def test_pyflinks_modules_have_them():
    from pyflink.datastream.connectors.kafka import KafkaSource as theirs

    assert theirs is KafkaSource


def test_reset_strategies():
    assert [s.name for s in KafkaOffsetResetStrategy] == ["LATEST", "EARLIEST", "NONE"]
    assert KafkaOffsetsInitializer.committed_offsets().reset is KafkaOffsetResetStrategy.NONE
    assert KafkaOffsetsInitializer.offsets({}).reset is KafkaOffsetResetStrategy.EARLIEST


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: KafkaTopicPartition("", 0), "a topic's name"),
        (lambda: KafkaTopicPartition("t", -1), "a number from 0"),
        (lambda: KafkaOffsetsInitializer.timestamp(-1), "ms since 1970, got -1"),
        (lambda: KafkaOffsetsInitializer.offsets({"t": 1}), "KafkaTopicPartition as key, got 't'"),
        (lambda: KafkaOffsetsInitializer.offsets({KafkaTopicPartition("t", 0): -5}), "an offset from 0 for t-0"),
        (lambda: KafkaOffsetsInitializer.committed_offsets("latest"), "a KafkaOffsetResetStrategy, got str"),
        (lambda: KafkaSource.builder().set_topics(), "expected names of topics"),
        (lambda: KafkaSource.builder().set_topics("a").set_topic_pattern("b"), "set already"),
        (lambda: KafkaSource.builder().set_topic_pattern("("), "no regular expression"),
        (lambda: KafkaSource.builder().set_partitions([("t", 0)]), "expected KafkaTopicPartitions"),
        (lambda: KafkaSource.builder().set_bounded("latest"), "expected a KafkaOffsetsInitializer such as"),
        (
            lambda: (
                KafkaSource.builder()
                .set_bounded(KafkaOffsetsInitializer.latest())
                .set_unbounded(KafkaOffsetsInitializer.latest())
            ),
            "not both",
        ),
        (lambda: KafkaSource.builder().build(), "set_topics, set_topic_pattern and set_partitions"),
        (lambda: KafkaSource.builder().set_topics("t").build(), "set_value_only_deserializer"),
        (lambda: FlinkKafkaConsumer([], SimpleStringSchema(), BROKERS), "FlinkKafkaConsumer: expected names of topics"),
    ],
)
def test_what_is_wrong_is_told(call, message):
    with pytest.raises(ValidationError, match=message):
        call()


def test_the_old_consumer():
    consumer = FlinkKafkaConsumer(["a", "b"], SimpleStringSchema(), BROKERS | {"auto.offset.reset": "earliest"})
    assert isinstance(consumer, Source) and not consumer.bounded
    assert consumer.get_produced_type() == Types.STRING()
    reading = consumer._reading
    assert (reading.starting.kind, reading.starting.reset) == ("committed", KafkaOffsetResetStrategy.EARLIEST)
    for call, kind in (
        (lambda: consumer.set_start_from_latest(), "latest"),
        (lambda: consumer.set_start_from_timestamp(5), "timestamp"),
        (lambda: consumer.set_start_from_group_offsets(), "committed"),
        (lambda: consumer.set_start_from_earliest(), "earliest"),
    ):
        assert call() is consumer and consumer._reading.starting.kind == kind
    assert consumer.set_commit_offsets_on_checkpoints(False) is consumer and not consumer._commits
    assert consumer.disable_filter_restored_partitions_with_subscribed_topics() is consumer
    assert issubclass(FlinkKafkaConsumer010, FlinkKafkaConsumer) and issubclass(
        FlinkKafkaConsumer011, FlinkKafkaConsumer
    )
