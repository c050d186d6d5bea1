"""Jobs that end in Kafka, on both executors."""

import pytest

from datastream import DataStreamError, Duration, WatermarkStrategy
from datastream.connectors.kafka import FlinkKafkaProducer
from datastream.formats import SimpleStringSchema
from datastream.time import TimestampAssigner
from tests.support.kafka.sinks import AT_LEAST_ONCE, EXACTLY_ONCE, NONE, sink_of, text_serializer, values


@pytest.mark.parametrize("guarantee", [NONE, AT_LEAST_ONCE, EXACTLY_ONCE])
def test_records_of_a_job(run, kafka, guarantee):
    topic = kafka.topic(partitions=3)
    env = run.environment()
    words = [f"word{i % 7}" for i in range(200)]
    counted = env.from_collection(words).map(lambda w: (w, 1)).key_by(lambda w: w[0]).sum(1)
    counted.map(lambda c: f"{c[0]}={c[1]}").sink_to(sink_of(kafka, topic, guarantee, prefix=topic)).uid("out")
    env.execute("count to Kafka")
    kafka.read(topic, count=1)
    found = values(kafka, topic)
    assert sorted({text.split("=")[0] for text in found}) == [f"word{i}" for i in range(7)]
    if guarantee is not NONE:
        assert len(found) == len(set(found)) == 200


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return 1_700_000_000_000 + int(value)


def test_event_time_is_the_timestamp_and_a_key_keeps_its_order(run, kafka):
    topic = kafka.topic(partitions=4)
    env = run.environment()
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1)).with_timestamp_assigner(Second())
    stream = env.from_collection([str(i) for i in range(300)]).assign_timestamps_and_watermarks(strategy)
    serializer = text_serializer(topic, key=True).set_key_serialization_schema(Last()).build()
    stream.sink_to(sink_of(kafka, serializer, EXACTLY_ONCE, prefix=topic))
    env.execute("times")
    found = kafka.read(topic)
    assert {record.timestamp - 1_700_000_000_000 for record in found} == set(range(300))
    assert all(record.timestamp == 1_700_000_000_000 + int(record.value) for record in found)
    for key in {record.key for record in found}:
        offsets = [int(record.value) for record in found if record.key == key]
        assert offsets == sorted(offsets)


class Last(SimpleStringSchema):
    def serialize(self, value):
        return value[-1].encode()

    def serialize_block(self, values):
        return [self.serialize(value) for value in values]


def test_the_older_name_in_add_sink(run, kafka):
    topic = kafka.topic()
    env = run.environment()
    producer = FlinkKafkaProducer(topic, SimpleStringSchema(), {"bootstrap.servers": kafka.bootstrap})
    env.from_collection(["a", "b"]).add_sink(producer)
    env.execute("older name")
    assert values(kafka, topic) == ["a", "b"]


def test_a_record_that_cannot_be_written_fails_the_job(run, kafka):
    topic = kafka.topic(max_message_bytes=2000)
    env = run.environment()
    env.from_collection(["a", "x" * 5000]).sink_to(sink_of(kafka, topic, AT_LEAST_ONCE)).name("the sink")
    with pytest.raises(DataStreamError, match="5,000 bytes.*MSG_SIZE_TOO_LARGE"):
        env.execute("too large")


@pytest.mark.long
def test_a_wrong_topic_is_told_before_anything_runs(run, kafka):
    env = run.environment()
    env.from_collection(["a"]).sink_to(sink_of(kafka, "not-there", AT_LEAST_ONCE))
    with pytest.raises(ValueError, match="look up topic 'not-there'"):
        env.execute("no topic")
