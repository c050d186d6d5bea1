"""What a Kafka sink writes: topics, keys, values, partitions, timestamps and headers."""

import pickle

import pytest

from datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaTopicSelector, ProducerRecord
from datastream.errors import FormatError
from datastream.formats import ByteArraySchema, JsonRowSerializationSchema, SerializationSchema
from datastream.io import Batch
from datastream.types import Row, Types
from tests.support.drive import begun, context, write
from tests.support.kafka.sinks import AT_LEAST_ONCE, EXACTLY_ONCE, NONE, sink_of, text_serializer, values

GUARANTEES = [NONE, AT_LEAST_ONCE, EXACTLY_ONCE]

#: Keys and their hashes in the tests of Kafka's Java client (UtilsTest.testMurmur2).
MURMUR2 = {
    "21": -973932308,
    "foobar": -790332482,
    "a-little-bit-long-string": -985981536,
    "a-little-bit-longer-string": -1486304829,
    "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    "abc": 479470107,
}


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_records_arrive_in_order_over_epochs(kafka, guarantee):
    topic = kafka.topic()
    sink = sink_of(kafka, topic, guarantee, prefix=topic)
    for epoch in range(3):
        assert write(sink, context(epoch), [f"{epoch}.0", f"{epoch}.1"], [], [f"{epoch}.2"]) is None
    assert [r.value.decode() for r in kafka.read(topic, count=9)] == [f"{e}.{i}" for e in range(3) for i in range(3)]


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_many_records_pass_a_queue_that_is_full_in_order(kafka, guarantee):
    topic = kafka.topic()
    sink = sink_of(kafka, topic, guarantee, prefix=topic, queue_buffering_max_messages="50")
    write(sink, context(), *[[str(i) for i in range(start, start + 1000)] for start in range(0, 5000, 1000)])
    assert [int(r.value) for r in kafka.read(topic, count=5000)] == list(range(5000))


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_subtasks_and_sinks_do_not_get_in_each_others_way(kafka, guarantee):
    topic = kafka.topic(partitions=2)
    sink = sink_of(kafka, topic, guarantee, prefix=topic)
    writers = [begun(sink, context(uid=uid, subtask=n)) for uid in "ab" for n in range(2)]
    for i, writer in enumerate(writers):
        writer.write(Batch([str(i)]))
    for writer in writers:
        writer.prepare_commit()
    kafka.read(topic, count=4)
    assert values(kafka, topic) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_event_times_become_timestamps(kafka, guarantee):
    topic = kafka.topic()
    sink = sink_of(kafka, topic, guarantee, prefix=topic)
    assert sink.consumed.timestamps
    writer = begun(sink, context())
    writer.write(Batch(["a", "b", "c"], [1_700_000_000_001, None, -5]))
    writer.write(Batch(["d"], None))
    writer.prepare_commit()
    a, b, c, d = [record.timestamp for record in kafka.read(topic, count=4)]
    assert a == 1_700_000_000_001
    assert min(b, c, d) > 1_750_000_000_000, "when they were written"


def test_keys_go_where_java_clients_send_them(kafka):
    topic = kafka.topic(partitions=16)
    write(sink_of(kafka, text_serializer(topic, key=True).build(), AT_LEAST_ONCE), context(), list(MURMUR2))
    found = {record.key.decode(): record.partition for record in kafka.read(topic, count=len(MURMUR2))}
    assert found == {key: (hash & 0x7FFFFFFF) % 16 for key, hash in MURMUR2.items()}


def test_topic_partition_and_headers_are_chosen_by_the_record(kafka):
    even, odd = kafka.topic(partitions=3), kafka.topic(partitions=2)
    seen = []

    def partitioner(record, key, value, topic, partitions):
        seen.append((record, key, value, topic, list(partitions)))
        return partitions[-1]

    serializer = (
        text_serializer(lambda record: even if int(record) % 2 == 0 else odd, key=True)
        .set_partitioner(partitioner)
        .set_header_provider(lambda record: {"n": record.encode(), "none": None} if record == "1" else None)
        .build()
    )
    sink = sink_of(kafka, serializer, EXACTLY_ONCE, prefix=even)
    writer = begun(sink, context())
    writer.write(Batch(["0", "1", "2", "3"]))
    writer.prepare_commit()
    assert seen[:2] == [("0", b"0", b"0", even, [0, 1, 2]), ("1", b"1", b"1", odd, [0, 1])]
    assert [(r.partition, r.key) for r in kafka.read(even, count=2)] == [(2, b"0"), (2, b"2")]
    first, second = kafka.read(odd, count=2)
    assert (first.partition, first.headers) == (1, (("n", b"1"), ("none", None)))
    assert (second.partition, second.headers) == (1, ())


class Selector(KafkaTopicSelector):
    def __init__(self, topic):
        self.topic = topic

    def apply(self, data):
        return self.topic


def test_a_topic_selector_may_be_an_object(kafka):
    topic = kafka.topic()
    write(sink_of(kafka, text_serializer(Selector(topic)).build(), AT_LEAST_ONCE), context(), ["x"])
    assert values(kafka, topic) == ["x"]


class Whole(KafkaRecordSerializationSchema):
    """Records are dicts with the fields of a ProducerRecord; None writes nothing."""

    def __init__(self, topic):
        self._to = topic

    def serialize(self, value, timestamp):
        return value and ProducerRecord(self._to, **{"timestamp": timestamp} | value)


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_schema_may_give_whole_records(kafka, guarantee):
    topic = kafka.topic(partitions=2)
    sink = sink_of(kafka, Whole(topic), guarantee, prefix=topic)
    assert pickle.loads(pickle.dumps(sink)).consumed.timestamps
    writer = begun(sink, context())
    writer.write(Batch([None, None], [1, 2]))
    writer.write(
        Batch(
            [
                {"value": None, "key": b"gone", "partition": 1, "headers": [("h", b"1"), ("h", b"2")]},
                None,
                {"value": b"", "partition": 0, "timestamp": 1_600_000_000_000},
            ],
            [1_700_000_000_000] * 3,
        )
    )
    writer.prepare_commit()
    plain, tombstone = kafka.read(topic, count=2)
    assert (plain.value, plain.key, plain.timestamp, plain.headers) == (b"", None, 1_600_000_000_000, ())
    assert (tombstone.value, tombstone.key, tombstone.partition) == (None, b"gone", 1)
    assert (tombstone.timestamp, tombstone.headers) == (1_700_000_000_000, (("h", b"1"), ("h", b"2")))


def test_records_need_not_be_written_at_all(kafka):
    topic = kafka.topic()
    for epoch in range(2):
        write(sink_of(kafka, Whole(topic), EXACTLY_ONCE, prefix=topic), context(epoch), [None])
        begun(sink_of(kafka, Whole(topic), EXACTLY_ONCE, prefix=topic), context(epoch)).abort()
    assert values(kafka, topic, committed=False) == []


def test_rows_as_json(kafka):
    topic = kafka.topic()
    row_type = Types.ROW_NAMED(["name", "n"], [Types.STRING(), Types.INT()])
    schema = JsonRowSerializationSchema.builder().with_type_info(row_type).build()
    serializer = (
        KafkaRecordSerializationSchema.builder().set_topic(topic).set_value_serialization_schema(schema).build()
    )
    write(sink_of(kafka, serializer, AT_LEAST_ONCE), context(), [Row("a", 1)])
    assert values(kafka, topic) == ['{"name":"a","n":1}']


class Odd(SerializationSchema):
    def serialize(self, value):
        if value == "raises":
            raise KeyError("within")
        return 5 if value == "number" else value.encode()


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize(
    ("build", "record", "text"),
    [
        (lambda b: b, "raises", r"Odd failed for the record 'raises': KeyError: 'within'"),
        (lambda b: b, "number", r"Odd.serialize must give bytes, got int 5 for the record 'number'"),
        (
            lambda b: b.set_key_serialization_schema(ByteArraySchema()),
            "text",
            r"ByteArraySchema failed for the record 'a'",
        ),
        (lambda b: b.set_partitioner(lambda *a: 7), "x", r"partitioner must give a partition of .* 0 to 0, got int 7"),
        (lambda b: b.set_partitioner(lambda *a: None), "x", r"partitioner must give .* got NoneType"),
        (lambda b: b.set_header_provider(lambda r: 1 / 0), "x", r"header provider failed .*'a': ZeroDivisionError"),
    ],
)
def test_what_cannot_be_serialized_is_named(kafka, guarantee, build, record, text):
    topic = kafka.topic()
    builder = KafkaRecordSerializationSchema.builder().set_topic(topic).set_value_serialization_schema(Odd())
    writer = begun(sink_of(kafka, build(builder).build(), guarantee, prefix=topic), context())
    with pytest.raises(FormatError, match=text):
        writer.write(Batch(["a", record, "b"]))
    writer.abort()
    assert values(kafka, topic) == []


@pytest.mark.parametrize(
    ("made", "text"),
    [
        ("a str", r"NotRecords.serialize must give a ProducerRecord or None, got str 'a str' for the record"),
        (ProducerRecord("t", "text"), r"must give bytes or None as value, got str 'text'"),
        (ProducerRecord("t", b"", 1), r"must give bytes or None as key, got int 1"),
        (ProducerRecord("", b""), r"must give a topic's name, got str ''"),
    ],
)
def test_records_of_ones_own_are_looked_at(kafka, made, text):
    class NotRecords(KafkaRecordSerializationSchema):
        def serialize(self, value, timestamp):
            return made

    writer = begun(sink_of(kafka, NotRecords(), AT_LEAST_ONCE), context())
    with pytest.raises(FormatError, match=text):
        writer.write(Batch(["r"]))
    writer.abort()


@pytest.mark.parametrize("topic", [None, "", 5])
def test_a_selector_must_name_a_topic(kafka, topic):
    writer = begun(sink_of(kafka, text_serializer(lambda record: topic).build(), AT_LEAST_ONCE), context())
    with pytest.raises(FormatError, match="topic selector must give a topic's name, got .* for the record 'r'"):
        writer.write(Batch(["r"]))
    writer.abort()


def test_one_record_by_hand():
    serializer = text_serializer("t", key=True).set_header_provider(lambda r: [("h", b"x")]).build()
    assert serializer.serialize("v", 5) == ProducerRecord("t", b"v", b"v", None, 5, [("h", b"x")])
