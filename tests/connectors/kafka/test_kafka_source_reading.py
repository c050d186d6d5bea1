"""What is in a partition, and what of it becomes records."""

from __future__ import annotations

import json

import pytest

from datastream import OutputTag, ValidationError
from datastream.connectors.kafka import ConsumerRecord, KafkaRecordDeserializationSchema, KafkaSource, TimestampType
from datastream.connectors.kafka.source.partition_reader import BLOCK
from datastream.errors import FormatError
from datastream.formats import ByteArraySchema, DeadLetter, DeserializationSchema, JsonRowDeserializationSchema
from datastream.types import Types
from tests.support.drive import driven, read
from tests.support.kafka.sources import builder, drain, eventually

JSON = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.INT()]))


class Whole(KafkaRecordDeserializationSchema):
    def deserialize(self, record):
        return record


class Evens(DeserializationSchema):
    def deserialize(self, data):
        number = int(data)
        return None if number % 2 else number


def source_of(kafka, topic, schema=None, **properties):
    made = builder(kafka, topic)
    if isinstance(schema, KafkaRecordDeserializationSchema):
        made.set_deserializer(schema)
    elif schema is not None:
        made.set_value_only_deserializer(schema)
    return driven(made.set_properties({name.replace("_", "."): value for name, value in properties.items()}).build())


def timed(source, start, end):
    pairs = [pair for split in source.splits(start, end, 1) for pair in source.batches(split)]
    assert all(len(records) == len(times) for records, times in pairs)
    return [pair for records, times in pairs for pair in zip(records, times, strict=True)]


def test_order_within_each_partition(kafka):
    topic = kafka.topic(partitions=5)
    count = 2 * BLOCK + 100
    for partition in range(5):
        kafka.produce(topic, map(str, range(count)), partition=partition)
    source = source_of(kafka, topic)
    start = source.initial_offset()
    end = source.latest_offset(start, 10**6)
    splits = source.splits(start, end, 2)
    assert [split.partition for split in splits] == list(range(5))
    for split in (*splits[::2], *splits[1::2]):
        assert [r for block in source.read(split) for r in block] == [str(i) for i in range(count)]
    assert not source.reader.places(), "there is nothing more to fetch"


def test_an_idle_reader_fetches_nothing(kafka):
    topic = kafka.topic(partitions=2)
    for partition in range(2):
        kafka.produce(topic, map(str, range(100)), partition=partition)
    source = source_of(kafka, topic)
    start = source.initial_offset()
    (first, second) = source.splits(start, source.latest_offset(start, 100), 1)
    assert sum(len(block) for block in source.read(first)) == 50
    assert set(source.reader.places()) == {(topic, 0, 50), (topic, 1, 0)}, "what comes next is fetched ahead"
    source.reader.idle()
    assert source.reader.places() == []
    assert sum(len(block) for block in source.read(second)) == 50


def test_small_epochs_give_every_record_once(kafka):
    topic = kafka.topic(partitions=3)
    for partition in range(3):
        kafka.produce(topic, [f"{partition}:{i}" for i in range(400)], partition=partition)
    source = source_of(kafka, topic)
    records, _ = drain(source, source.initial_offset(), budget=37)
    for partition in range(3):
        assert [r for r in records if r[0] == str(partition)] == [f"{partition}:{i}" for i in range(400)]


def test_reading_broken_off_in_the_middle_begins_anew(kafka):
    topic = kafka.topic()
    kafka.produce(topic, map(str, range(3 * BLOCK)))
    source = source_of(kafka, topic)
    start = source.initial_offset()
    end = source.latest_offset(start, 10**6)
    (split,) = source.splits(start, end, 1)
    blocks = source.read(split)
    assert next(blocks)[0] == "0"
    blocks.close()
    assert read(source, start, end) == [str(i) for i in range(3 * BLOCK)]


def test_whole_records(kafka):
    topic = kafka.topic(partitions=2, retention_ms=-1)
    kafka.produce(topic, [("k", "v"), (None, "w")], partition=1, timestamp=7_000, headers={"a": "1", "b": None})
    source = source_of(kafka, topic, Whole())
    (first, second), _ = drain(source, source.initial_offset())
    headers = (("a", b"1"), ("b", None))
    assert first == ConsumerRecord(topic, 1, 0, 7_000, TimestampType.CREATE_TIME, b"k", b"v", headers)
    assert (second.key, second.value, second.offset) == (None, b"w", 1)
    start = source.initial_offset()
    found = timed(source, start, source.latest_offset(start, 10))
    assert [(record.value, time) for record, time in found] == [(b"v", 7_000), (b"w", 7_000)]


def test_timestamps_of_the_broker(kafka):
    topic = kafka.topic(message_timestamp_type="LogAppendTime")
    kafka.produce(topic, ["v"], timestamp=7_000)
    source = source_of(kafka, topic, Whole())
    (record,), _ = drain(source, source.initial_offset())
    assert record.timestamp_type is TimestampType.LOG_APPEND_TIME and record.timestamp > 7_000


def test_tombstones_are_no_records_of_values(kafka):
    topic = kafka.topic(retention_ms=-1)
    for i, record in enumerate([("a", "1"), ("a", None), ("b", "2")]):
        kafka.produce(topic, [record], timestamp=1_000 * i + 1)
    source = source_of(kafka, topic)
    start = source.initial_offset()
    end = source.latest_offset(start, 10)
    assert read(source, start, end) == ["1", "2"]
    assert timed(source, start, end) == [("1", 1), ("2", 2_001)]
    assert [r.value for r in drain(source_of(kafka, topic, Whole()), start)[0]] == [b"1", None, b"2"]


def test_times_of_records_that_a_schema_keeps(kafka):
    topic = kafka.topic(retention_ms=-1)
    for i in range(6):
        kafka.produce(topic, [str(i)], timestamp=1_000 + i)
    source = source_of(kafka, topic, Evens())
    start = source.initial_offset()
    end = source.latest_offset(start, 10)
    assert timed(source, start, end) == [(0, 1_000), (2, 1_002), (4, 1_004)]
    assert read(source, start, end) == [0, 2, 4]


@pytest.mark.parametrize(
    ("schema", "reason"), [(JSON, "JSON"), (Evens(), "ValueError: invalid literal for int"), (None, None)]
)
def test_a_poison_message(kafka, schema, reason):
    topic = kafka.topic(partitions=2)
    good = ['{"n": 0}'] * 3 if schema is JSON else ["2"] * 3
    kafka.produce(topic, [*good, "not " + "x" * 500, *good], partition=1)
    source = source_of(kafka, topic, schema or ByteArraySchema())
    start = source.initial_offset()
    end = source.latest_offset(start, 100)
    if schema is None:
        assert len(read(source, start, end)) == 7
        return
    for reading in (read, timed):
        with pytest.raises(FormatError) as failed:
            reading(source, start, end)
        said = str(failed.value)
        assert said.startswith(f"topic '{topic}', partition 1, offset 3 cannot be read: ")
        assert reason in said and "with_dead_letters" in said and "b'not xxx" in said
        assert len(said) < 1_200


def test_dead_letters(kafka):
    topic = kafka.topic()
    kafka.produce(topic, ['{"n": 1}', "poison", '{"n": 2}'])
    tag = OutputTag("dead")
    source = source_of(kafka, topic, JSON.with_dead_letters(tag))
    assert source.source.produced.side_tags == (tag,)
    start = source.initial_offset()
    end = source.latest_offset(start, 10)
    one, (to, letter), two = read(source, start, end)
    assert (one.n, two.n, to) == (1, 2, tag)
    assert isinstance(letter, DeadLetter)
    assert (letter.data, letter.topic, letter.partition, letter.offset) == (b"poison", topic, 0, 1)
    assert len(timed(source, start, end)) == 3


@pytest.mark.long
def test_a_compacted_topic(kafka):
    topic = kafka.topic(
        cleanup_policy="compact", segment_ms=100, min_cleanable_dirty_ratio=0.001, max_compaction_lag_ms=200
    )
    for i in range(200):
        kafka.produce(topic, [(str(i % 3), str(i))])

    def compacted():
        kafka.produce(topic, [("roll", "x")])  # compaction leaves the newest segment alone
        return len(kafka.read(topic)) < 150

    eventually(compacted)
    source = source_of(kafka, topic)
    start = source.initial_offset()
    expected = [r.value.decode() for r in kafka.read(topic)]
    end = source.latest_offset(start, 10**6)
    found = [r for r in read(source, start, end) if r != "x"]
    assert set(found) <= {v for v in expected} | {str(i) for i in range(200)}
    assert found[-3:] == ["197", "198", "199"] or len(found) >= 3
    # A range that begins and ends in gaps.
    middle = {"partitions": {topic: {"0": 50}}, "stop": None}
    later = {"partitions": {topic: {"0": 120}}, "stop": None}
    inside = read(source, middle, later)
    assert all(50 <= int(value) < 120 for value in inside)


def transactions(kafka, topic, *steps):
    """Write a value a transaction; the last may stay open."""
    producer = kafka.producer(transactional_id=topic)
    producer.list_topics(topic, 30)
    producer.init_transactions(30)
    for value, how in steps:
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(30)
        if how == "commit":
            producer.commit_transaction(30)
        elif how == "abort":
            producer.abort_transaction(30)
    return producer


def test_transactions(kafka):
    topic = kafka.topic()
    steps = [("a", "commit"), ("b", "abort"), ("c", "commit"), ("d", "abort"), ("e", "open")]
    producer = transactions(kafka, topic, *steps)
    for level, expected in (("read_committed", ["a", "c"]), ("read_uncommitted", ["a", "b", "c", "d", "e"])):
        source = source_of(kafka, topic, isolation_level=level)
        assert drain(source, source.initial_offset())[0] == expected
    source = source_of(kafka, topic)
    records, end = drain(source, source.initial_offset(), budget=1)
    assert records == ["a", "c"], "ranges of aborted records and markers alone end too"
    producer.commit_transaction(30)
    assert drain(source, end, until=lambda found: found)[0] == ["e"]


def test_types(kafka):
    assert source_of(kafka, "t").source.produced.type == Types.STRING()
    assert source_of(kafka, "t").source.produced.exact
    assert source_of(kafka, "t", JSON).source.produced.type == JSON.get_produced_type()
    assert source_of(kafka, "t", Whole()).source.produced.type == Types.PICKLED_BYTE_ARRAY()
    with pytest.raises(ValidationError, match="set_value_only_deserializer takes a DeserializationSchema"):
        KafkaSource.builder().set_deserializer(JSON)
    with pytest.raises(ValidationError, match="needs a DeserializationSchema such as"):
        KafkaSource.builder().set_value_only_deserializer(Whole())


def test_offsets_are_json(kafka):
    topic = kafka.topic()
    offset = source_of(kafka, topic).initial_offset()
    assert json.loads(json.dumps(offset)) == offset == {"partitions": {topic: {"0": 0}}, "stop": None}
