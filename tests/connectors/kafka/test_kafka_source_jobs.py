"""Whole jobs that read Kafka, on both executors."""

from __future__ import annotations

import logging

import pytest
from confluent_kafka import TopicPartition

from datastream import DataStreamError, OutputTag, ValidationError, WatermarkStrategy
from datastream.connectors.kafka import FlinkKafkaConsumer, KafkaOffsetsInitializer, KafkaRecordDeserializationSchema
from datastream.formats import JsonRowDeserializationSchema, SimpleStringSchema
from datastream.functions import ProcessFunction, ProcessWindowFunction
from datastream.time import Time
from datastream.types import Types
from datastream.windows import TumblingEventTimeWindows
from tests.support.kafka.sources import builder

LATEST = KafkaOffsetsInitializer.latest()


class KeyAndValue(KafkaRecordDeserializationSchema):
    def deserialize(self, record):
        return record.key.decode(), int(record.value), dict(record.headers)["h"].decode()

    def get_produced_type(self):
        return Types.TUPLE([Types.STRING(), Types.INT(), Types.STRING()])


class Stamped(ProcessFunction):
    def process_element(self, value, ctx):
        yield value, ctx.timestamp()


class Counts(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().start, len(list(elements))


def test_bounded(run, kafka):
    topic = kafka.topic(partitions=4)
    kafka.produce(topic, [str(i) for i in range(3_000)])
    env = run.environment()
    source = builder(kafka, topic).set_bounded(LATEST).set_group_id(topic).build()
    got = run.collect(env.from_source(source, WatermarkStrategy.no_watermarks(), "in").map(int).filter(lambda n: n % 3))
    assert sorted(got) == [n for n in range(3_000) if n % 3]
    groups = kafka.consumer(group_id=topic)
    committed = groups.committed([TopicPartition(topic, n) for n in range(4)], timeout=30)
    assert sum(one.offset for one in committed) == 3_000
    groups.close()


def test_keyed_counts(run, kafka):
    topic = kafka.topic(partitions=3)
    for n in range(3):
        kafka.produce(topic, [(str(i % 7), str(i)) for i in range(n, 700, 3)], partition=n, headers={"h": "x"})
    env = run.environment(batch=True)
    source = builder(kafka, topic).set_bounded(LATEST).set_deserializer(KeyAndValue()).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "in")
    got = run.collect(stream.map(lambda r: (r[0], 1)).key_by(lambda r: r[0]).reduce(lambda a, b: (a[0], a[1] + b[1])))
    assert sorted(got) == [(str(k), 100) for k in range(7)]


def test_timestamps_and_windows(run, kafka):
    topic = kafka.topic(partitions=2, retention_ms=-1)
    for i in range(40):
        kafka.produce(topic, ["a"], partition=i % 2, timestamp=1_000_000 + 100 * i)
    env = run.environment()
    source = builder(kafka, topic).set_bounded(LATEST).build()
    # Without a timestamp assigner the records keep Kafka's timestamps.
    stream = env.from_source(source, WatermarkStrategy.for_monotonous_timestamps(), "in")
    windows = stream.key_by(lambda v: v).window(TumblingEventTimeWindows.of(Time.seconds(1))).process(Counts())
    stamps, counts = run.collect(stream.process(Stamped()), windows)
    assert sorted(time for _, time in stamps) == [1_000_000 + 100 * i for i in range(40)]
    assert sorted(counts) == [("a", 1_000_000 + 1_000 * n, 10) for n in range(4)]


def test_dead_letters_of_a_job(run, kafka):
    topic = kafka.topic()
    kafka.produce(topic, ['{"n": 1}', "poison", '{"n": 2}'])
    tag = OutputTag("dead")
    schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.INT()])).with_dead_letters(tag)
    source = builder(kafka, topic).set_value_only_deserializer(schema).set_bounded(LATEST).build()
    stream = run.environment().from_source(source, WatermarkStrategy.no_watermarks(), "in")
    rows, dead = run.collect(
        stream.map(lambda row: row.n), stream.get_side_output(tag).map(lambda d: (d.offset, d.data))
    )
    assert (sorted(rows), dead) == ([1, 2], [(1, b"poison")])


def test_dead_letters_of_a_deserializer_of_ones_own(run, kafka):
    topic = kafka.topic()
    kafka.produce(topic, [("a", "1"), ("b", "poison"), ("c", "3")], headers={"h": "x"})
    tag = OutputTag("dead")
    source = builder(kafka, topic).set_deserializer(KeyAndValue().with_dead_letters(tag)).set_bounded(LATEST).build()
    stream = run.environment().from_source(source, WatermarkStrategy.no_watermarks(), "in")
    dead = stream.get_side_output(tag).map(lambda d: (d.record.key, d.data, d.offset, d.error.split(":")[0]))
    records, letters = run.collect(stream.map(lambda record: record[0]), dead)
    assert (records, letters) == (["a", "c"], [(b"b", b"poison", 1, "ValueError")])


def test_a_poison_message_fails_the_job(run, kafka):
    topic = kafka.topic()
    kafka.produce(topic, ['{"n": 1}', "poison"])
    schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.INT()]))
    source = builder(kafka, topic).set_value_only_deserializer(schema).set_bounded(LATEST).build()
    stream = run.environment().from_source(source, WatermarkStrategy.no_watermarks(), "clicks")
    with pytest.raises(DataStreamError, match=f"topic '{topic}', partition 0, offset 1 cannot be read") as failed:
        run.collect(stream)
    assert "Source: clicks" in str(failed.value)


def test_a_missing_topic_stops_the_job_before_it_starts(run, kafka):
    source = builder(kafka, "no-such-topic").set_bounded(LATEST).build()
    with pytest.raises(ValidationError, match="topic 'no-such-topic' does not exist"):
        run.collect(run.environment().from_source(source, WatermarkStrategy.no_watermarks(), "in"))


def test_a_source_that_stops_though_it_is_unbounded(run, kafka):
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, map(str, range(100)))
    source = builder(kafka, topic).set_unbounded(LATEST).build()
    got = run.collect(run.environment().from_source(source, WatermarkStrategy.no_watermarks(), "in").map(int))
    assert sorted(got) == list(range(100))


def test_the_old_name(run, kafka):
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, map(str, range(50)))
    consumer = FlinkKafkaConsumer(topic, SimpleStringSchema(), {"bootstrap.servers": kafka.bootstrap})
    consumer.set_start_from_earliest()
    stream = run.environment().add_source(consumer)
    with stream.map(int).execute_and_collect() as results:
        assert sorted(next(results) for _ in range(50)) == list(range(50))


def test_a_password_is_in_no_text_of_a_job(run, kafka, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    topic = kafka.topic()
    kafka.produce(topic, ["v"])
    there = kafka.secured
    properties = there.java_properties("admin") | {"bootstrap.servers": there.bootstrap}
    source = builder(kafka, topic).set_properties(properties).set_bounded(LATEST).build()
    stream = run.environment().from_source(source, WatermarkStrategy.no_watermarks(), "in")
    assert run.collect(stream) == ["v"]
    out = capfd.readouterr()
    assert there.password("admin") not in caplog.text + out.out + out.err
