"""A broker of a case's own, with the records of the case; and what all sides do with topics."""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from bench.kafka_functions import key_of, record
from bench.processes import SideError
from tests.support.servers.kafka import Broker, OwnBroker
from tests.support.servers.unavailable import UnavailableError

#: Of every topic.
PARTITIONS = 8

_PATIENCE_S = 60.0

# librdkafka prints to stderr what it is given no logger for.
LOGGER = logging.getLogger("bench.kafka")
LOGGER.addHandler(logging.NullHandler())


@contextmanager
def broker(records: int) -> Iterator[dict[str, Any]]:
    """Start a broker and write a topic of so many records; the parameters that every side of the case gets.

    With ``DATASTREAM_TEST_KAFKA`` set, the broker at that address is used.
    """
    address = os.environ.get("DATASTREAM_TEST_KAFKA")
    try:
        own = Broker(address) if address else OwnBroker()
    except UnavailableError as error:
        raise SideError(str(error)) from error
    try:
        with topic(own.bootstrap) as source:
            _fill(own.bootstrap, source, records)
            yield {"bootstrap": own.bootstrap, "source": source, "records": records}
    finally:
        own.stop()


@contextmanager
def topic(bootstrap: str) -> Iterator[str]:
    """A new topic, deleted at the end."""
    admin = AdminClient({"bootstrap.servers": bootstrap}, logger=LOGGER)
    name = f"bench-{uuid.uuid4().hex[:12]}"
    # What was deleted is to leave the disk before the next side fills it.
    new = NewTopic(name, PARTITIONS, 1, config={"file.delete.delay.ms": "100"})
    admin.create_topics([new])[name].result(_PATIENCE_S)
    while len(admin.list_topics(name, _PATIENCE_S).topics[name].partitions) < PARTITIONS:
        pass  # the broker tells of it a moment later
    try:
        yield name
    finally:
        admin.delete_topics([name])[name].result(_PATIENCE_S)


def producer(bootstrap: str, **config: object) -> Producer:
    """A producer; settings with "_" for "."."""
    return Producer(_config(bootstrap, config), logger=LOGGER)


def consumer(bootstrap: str, **config: object) -> Consumer:
    """A consumer; settings with "_" for "."."""
    given = {"group_id": f"bench-{uuid.uuid4().hex[:12]}", "enable_auto_commit": False, "auto_offset_reset": "earliest"}
    return Consumer(_config(bootstrap, given | config), logger=LOGGER)


def _config(bootstrap: str, config: dict[str, Any]) -> dict[str, Any]:
    return {"bootstrap.servers": bootstrap} | {name.replace("_", "."): value for name, value in config.items()}


def _fill(bootstrap: str, name: str, records: int) -> None:
    client = producer(bootstrap, linger_ms=20)
    for number in range(records):
        value = record(number)
        while True:
            try:
                client.produce(name, value, key_of(value), number % PARTITIONS)
                break
            except BufferError:
                client.poll(0.1)
        if number % 1000 == 0:
            client.poll(0)
    if client.flush(_PATIENCE_S):
        raise KafkaException("the broker did not take the records")
