"""The messages of jobs from Kafka to Kafka: the same in every run."""

from __future__ import annotations

from collections.abc import Iterator

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from tests.support.servers.kafka import Broker

#: In the input.
MESSAGES = 20_000

#: How many different ones.
KEYS = 200

#: Of input and output.
PARTITIONS = 4

#: Event time of the first message; each is 1 ms after the one before.
BEGIN_MS = 1_700_000_000_000

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def place(number: int) -> tuple[str, int]:
    """Key and partition of a message: as if at random. A key is in all partitions."""
    mixed = ((number + 1) * _GOLDEN) & _MASK
    mixed = ((mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9) & _MASK
    return f"k{(mixed >> 32) % KEYS}", (mixed >> 8) % PARTITIONS


def write_input(broker: Broker, topic: str) -> None:
    """Write all messages: the values are ``key,number``."""
    failed: list[KafkaError] = []

    def told(error: KafkaError | None, _message: object) -> None:
        if error is not None:
            failed.append(error)

    producer = broker.producer(linger_ms=20, queue_buffering_max_messages=1_000_000, enable_idempotence=True)
    for number in range(MESSAGES):
        key, partition = place(number)
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


def values(broker: Broker, topic: str) -> Iterator[bytes]:
    """All committed values of a topic, those of a partition in order."""
    consumer = broker.consumer()
    try:
        consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
        ended: set[int] = set()
        while len(ended) < PARTITIONS:
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
