"""Tables of Kafka's topics: ``kafka`` with its formats, and ``upsert-kafka``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from confluent_kafka import TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from bench.kafka_broker import consumer, producer
from bench.ready_rows import COLUMNS, DECLARED
from tests.support.formats.registry_server import RegistryServer
from tests.support.servers.kafka import Kafka

from .forms import AVRO, FORMS, Form, as_json, debezium, debezium_event, of_json
from .sides import Pair, Rows, Systems, Table, case, server_of

_ROWS = 204_800
_BATCH = 1000
_FLUSH_S = 60.0
_ENDS = {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}
_KEYED = f"{DECLARED}, PRIMARY KEY (id) NOT ENFORCED"
_BROKER = server_of(Kafka)


@contextmanager
def registry() -> Iterator[RegistryServer]:
    """A schema registry."""
    found = RegistryServer()
    try:
        yield found
    finally:
        found.close()


def produce(bootstrap: str, topic: str, messages: Iterable[tuple[bytes | None, bytes]]) -> None:
    """confluent-kafka's producer, which waits for all confirmations at the end."""
    client = producer(bootstrap, linger_ms=20)
    for key, value in messages:
        while True:
            try:
                client.produce(topic, value, key)
                break
            except BufferError:
                client.poll(0.1)
    assert not client.flush(_FLUSH_S)


def consume(bootstrap: str, topic: str, count: int) -> Iterator[tuple[Any, Any]]:
    """Keys and values of so many messages."""
    client = consumer(bootstrap)
    client.assign([TopicPartition(topic, 0, 0)])
    while count > 0:
        messages = client.consume(_BATCH, 0.1)
        count -= len(messages)
        for message in messages:
            yield message.key(), message.value()
    client.close()


def _topics(name: str, systems: Systems, rows: Rows) -> Iterator[Pair]:
    yield from _written_and_read(systems, rows, name, FORMS[name])


def _written_and_read(systems: Systems, rows: Rows, name: str, form: Form) -> Iterator[Pair]:
    server = systems.get(_BROKER)
    at, ours, bare = server.bootstrap, server.topic(), server.topic()

    def table(topic: str) -> Table:
        options = {"topic": topic, "properties.bootstrap.servers": at, "format": name, **_ENDS, **form.options}
        return Table({"connector": "kafka", **options}, form.columns, form.picked)

    def write() -> None:
        produce(at, bare, ((None, form.encode(row)) for row in rows))

    yield Pair("write", lambda: table(ours).write(rows), write)
    count = len(rows)
    if form.changes is not None:  # half of the rows are new, the other half two changes each
        server.delete(bare)
        bare, half, change = server.topic(), len(rows) // 2, form.changes
        added = ((None, form.encode(row)) for row in rows[:half])
        produce(at, bare, added)
        produce(at, bare, ((None, change(row, (*row[:3], row[3] + 1, row[4]))) for row in rows[:half]))
        count = half * 3

    def read() -> Rows:
        found = [row for _, value in consume(at, bare, len(rows)) for row in form.decode(value)]
        assert len(found) == count, f"{len(found)} of {count} rows"
        return found

    yield Pair("read", lambda: table(bare).read(count), read, count)
    for topic in (ours, bare):
        server.delete(topic)


for _name in FORMS:
    case(f"kafka {_name}", _ROWS)(partial(_topics, _name))


def _by_registry(name: str, url: str, schema: dict[str, Any]) -> tuple[Any, Any, dict[str, str]]:
    """confluent-kafka's serializer and deserializer, and the options of the format."""
    client, context = SchemaRegistryClient({"url": url}), SerializationContext("bench", MessageField.VALUE)
    serializer, deserializer = AvroSerializer(client, json.dumps(schema)), AvroDeserializer(client)
    options = {f"{name}.url": url}
    return lambda found: serializer(found, context), lambda message: deserializer(message, context), options


@case("kafka avro-confluent", _ROWS)
def avro_confluent(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """With schemas in a registry."""
    name = "avro-confluent"
    encode, decode, options = _by_registry(name, systems.get(registry).url, AVRO)
    form = Form(
        lambda row: encode(dict(zip(COLUMNS, row, strict=True))),
        lambda message: [tuple(decode(message).values())],
        options=options,
    )
    yield from _written_and_read(systems, rows, name, form)


@case("kafka debezium-avro-confluent", _ROWS)
def debezium_avro_confluent(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """The same with changes."""
    name = "debezium-avro-confluent"
    row = {**AVRO, "name": "row"}
    fields = [
        {"name": "before", "type": ["null", row]},
        {"name": "after", "type": ["null", f"{AVRO['namespace']}.row"]},
        {"name": "op", "type": ["null", "string"]},
    ]
    encode, decode, options = _by_registry(name, systems.get(registry).url, {**AVRO, "fields": fields})
    form = Form(
        lambda row: encode(debezium_event(None, row)),
        lambda message: debezium(decode(message)),
        options=options,
        changes=lambda before, after: encode(debezium_event(before, after)),
    )
    yield from _written_and_read(systems, rows, name, form)


@case("upsert-kafka json", _ROWS)
def upsert_kafka(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """Rows by key; each reader keeps the last one of a key."""
    server = systems.get(_BROKER)
    at, ours, bare = server.bootstrap, server.topic(), server.topic()

    def table(topic: str) -> Table:
        place = {"topic": topic, "properties.bootstrap.servers": at, "scan.bounded.mode": "latest-offset"}
        return Table({"connector": "upsert-kafka", **place, "key.format": "json", "value.format": "json"}, _KEYED)

    def write() -> None:
        produce(at, bare, ((json.dumps({"id": row[0]}).encode(), as_json(row)) for row in rows))

    def read() -> Rows:
        last: dict[int, tuple[Any, ...]] = {}
        changes: Rows = []
        for key, value in consume(at, bare, len(rows)):
            id, row = json.loads(key)["id"], of_json(value)
            before = last.get(id)
            changes += [(0, *row)] if before is None else [(1, *before), (2, *row)]
            last[id] = row
        return changes

    yield Pair("write", lambda: table(ours).write(rows), write)
    yield Pair("read", lambda: table(bare).read(len(rows)), read)
    for topic in (ours, bare):
        server.delete(topic)
