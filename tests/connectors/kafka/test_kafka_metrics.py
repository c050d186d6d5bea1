"""Bytes, dead letters and retries of Kafka, as Prometheus is shown them."""

import itertools

import pytest

from datastream import OutputTag, WatermarkStrategy
from datastream.connectors.kafka import KafkaOffsetsInitializer
from datastream.formats import JsonRowDeserializationSchema
from datastream.types import Types
from tests.prometheus.scrapes import measured, samples
from tests.support.kafka.sinks import AT_LEAST_ONCE, EXACTLY_ONCE, sink_of
from tests.support.kafka.sources import builder

_jobs = itertools.count()


@pytest.mark.parametrize("guarantee", [AT_LEAST_ONCE, EXACTLY_ONCE])
def test_bytes_and_dead_letters(run, kafka, guarantee):
    source_topic, sink_topic, job = kafka.topic(), kafka.topic(), f"kafka-metrics-{next(_jobs)}"
    kafka.produce(source_topic, ['{"n": 1}', "poison", None, '{"n": 2}', "more poison"])
    dead = OutputTag("dead")
    schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.INT()])).with_dead_letters(dead)
    source = builder(kafka, source_topic).set_value_only_deserializer(schema)
    source = source.set_bounded(KafkaOffsetsInitializer.latest()).build()
    env = measured(run.environment())
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "in")
    stream.get_side_output(dead).print()
    stream.map(lambda row: "x" * row.n).sink_to(sink_of(kafka, sink_topic, guarantee, prefix=sink_topic)).uid("out")
    env.execute(job)
    found = {name: value for (name, _), value in samples(job).items()}
    assert found["datastream_source_bytes_total"] == 8 + 6 + 8 + 11
    assert found["datastream_source_dead_letters_total"] == 2
    assert found["datastream_sink_bytes_total"] == 1 + 2
    assert found["datastream_sink_commits_total"] > 0 < found["datastream_sink_commit_seconds_total"]
    assert found["datastream_sink_retries_total"] >= 0
