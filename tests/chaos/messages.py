"""The input, and what can be seen of topics."""

from __future__ import annotations

from collections.abc import Iterator

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import OffsetSpec

from tests.chaos.trial import Trial
from tests.support.servers.kafka import Broker

#: Event time of the first message; each is 1 ms after the one before.
BEGIN_MS = 1_700_000_000_000

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def place(trial: Trial, number: int) -> tuple[str, int]:
    """Key and partition of a message: at random, but the same in every run. A key is in all partitions."""
    mixed = ((number + 1) * _GOLDEN + trial.seed * 0xD1B54A32D192ED03) & _MASK
    mixed = ((mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9) & _MASK
    return f"k{(mixed >> 32) % trial.keys}", (mixed >> 8) % trial.partitions


def write_input(trial: Trial, broker: Broker, topic: str) -> None:
    """Write all messages: the values are ``key,number``."""
    failed: list[KafkaError] = []

    def told(error: KafkaError | None, _message: object) -> None:
        if error is not None:
            failed.append(error)

    producer = broker.producer(linger_ms=20, queue_buffering_max_messages=1_000_000, enable_idempotence=True)
    for number in range(trial.messages):
        key, partition = place(trial, number)
        while True:
            try:
                producer.produce(
                    topic,
                    f"{key},{number}".encode(),
                    key.encode(),
                    partition,
                    timestamp=BEGIN_MS + number,
                    on_delivery=told,
                )
                break
            except BufferError:
                producer.poll(0.1)
        if number % 1000 == 0:
            producer.poll(0)
    if producer.flush(60) or failed:
        raise KafkaException(failed[0] if failed else KafkaError(KafkaError._TIMED_OUT))


def ended_at(broker: Broker, topic: str, partitions: int, committed: bool = True) -> int:
    """Sum of the partitions' ends. About the number of records: the ends of transactions are counted, too.

    Raises:
        KafkaException: the broker is away.
    """
    level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
    wanted = {TopicPartition(topic, number): OffsetSpec.latest() for number in range(partitions)}
    answers = broker.admin().list_offsets(wanted, isolation_level=level, request_timeout=5)
    return sum(answer.result().offset for answer in answers.values())


def values(broker: Broker, topic: str, partitions: int, committed: bool = True) -> Iterator[bytes]:
    """All values of a topic, those of a partition in order."""
    consumer = broker.consumer(committed=committed)
    try:
        consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
        ended: set[int] = set()
        while len(ended) < partitions:
            for message in consumer.consume(10_000, 0.05):
                error = message.error()
                if error is None:
                    yield message.value()
                elif error.code() == KafkaError._PARTITION_EOF:
                    ended.add(message.partition())
                else:
                    raise KafkaException(error)
    finally:
        consumer.close()
