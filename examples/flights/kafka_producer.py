"""Writes the flights to a topic of Kafka as JSON, in order of departure, and makes the topics of the results.

python examples/flights/kafka_producer.py --bootstrap-servers 127.0.0.1:9092
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

if "pyflink" not in sys.modules:
    from datastream.compat import install

    install()  # the example imports pyflink

import dataset
from flight_json import to_json
from parsing import MISSING, midnight, since_midnight
from pipelines import RESULTS
from topics import SERVERS, SOURCE, topic_of


def make_topics(servers: str, source: str, partitions: int) -> None:
    """Make the topics that are not there yet.

    Their records are as old as the flights, so Kafka would delete them by its default of a week.
    """
    names = [source, *(topic_of(result.name, source) for result in RESULTS)]
    topics = [NewTopic(name, partitions, config={"retention.ms": "-1"}) for name in names]
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 4})
    for made in admin.create_topics(topics).values():
        try:
            made.result()
        except KafkaException as failed:
            if failed.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise


def rows(table: Path) -> Iterator[dict[str, str]]:
    """The rows of the table by their columns' names."""
    data = table.read_bytes()
    if table.suffix == ".gz":
        data = gzip.decompress(data)
    yield from csv.DictReader(data.decode().splitlines())


def time_of(row: dict[str, str]) -> int:
    """When the flight left, or was to leave if it did not, in ms."""
    clock = row["sched_dep_time"] if row["dep_time"] in MISSING else row["dep_time"]
    return midnight(row["year"], row["month"], row["day"]) + since_midnight(int(clock))


def records(servers: str, topic: str) -> int:
    """How many records a topic has; none of it may have been deleted."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "-"})
    deadline = time.monotonic() + 30
    try:
        while True:
            try:
                partitions = consumer.list_topics(topic, 30).topics[topic].partitions
                ends = [consumer.get_watermark_offsets(TopicPartition(topic, number), 30) for number in partitions]
                return sum(end for _, end in ends)
            except KafkaException:  # a new topic has no leaders yet
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
    finally:
        consumer.close()


def write(servers: str, topic: str, table: Path) -> int:
    """Write all flights; returns how many. Those of a plane go to one partition, so they stay in order."""
    # murmur2_random: the partitions that Java's clients choose. Without idempotence a batch that is sent again, as to a
    # topic that has just been made, comes behind those that followed it.
    settings = {"partitioner": "murmur2_random", "linger.ms": 50, "enable.idempotence": True}
    producer = Producer({"bootstrap.servers": servers, **settings})
    count = 0
    for row in rows(table):
        key = None if row["tailnum"] in MISSING else row["tailnum"]
        while True:
            try:
                producer.produce(topic, to_json(row), key, timestamp=time_of(row), on_delivery=check)
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
        count += 1
    if producer.flush(120):
        raise SystemExit(f"{servers} did not take all flights within two minutes")
    return count


def check(error: KafkaError | None, message: Message) -> None:
    """Raise what a broker refused."""
    if error is not None:
        raise KafkaException(error)


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the flights to Kafka.")
    parser.add_argument("--bootstrap-servers", default=SERVERS, help="default: %(default)s")
    parser.add_argument("--topic", default=SOURCE, help="topic of the flights; default: %(default)s")
    parser.add_argument("--partitions", type=int, default=4, help="of each topic; default: %(default)s")
    parser.add_argument("--input", type=Path, help="a flights table in order of departure, CSV, plain or .gz")
    parser.add_argument("--month-only", action="store_true", help="write the shipped January only")
    parser.add_argument("--once", action="store_true", help="write nothing if the topic has the flights already")
    args = parser.parse_args()
    make_topics(args.bootstrap_servers, args.topic, args.partitions)
    table = args.input or dataset.flights(args.month_only)
    if args.once and (found := records(args.bootstrap_servers, args.topic)):
        if found != (wanted := sum(1 for _ in rows(table))):
            raise SystemExit(f"{args.topic} has {found:,} records instead of {wanted:,} flights; delete the topic")
        print(f"{args.topic} has all {found:,} flights already")
        return
    count = write(args.bootstrap_servers, args.topic, table)
    print(f"{count:,} flights are in {args.topic}, {args.partitions} partitions")


if __name__ == "__main__":
    main()
