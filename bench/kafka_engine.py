"""The Kafka cases on the engine: a bounded job over the topic, its epochs watched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.engine import Watch, parts_of, progress_of
from bench.kafka_broker import topic
from bench.kafka_functions import change, counted, user_of
from bench.work import temporary_folder
from datastream import StreamExecutionEnvironment
from datastream.api.data_stream import DataStream
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.connectors.delta import DeltaSink
from datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaRecordSerializationSchema, KafkaSink, KafkaSource
from datastream.formats import ByteArraySchema, DeserializationSchema, JsonRowDeserializationSchema
from datastream.time import WatermarkStrategy
from datastream.types import Types

#: The fields of a record that a table gets.
ROW = Types.ROW_NAMED(
    ["id", "user", "kind", "price", "text"],
    [Types.LONG(), Types.STRING(), Types.STRING(), Types.DOUBLE(), Types.STRING()],
)

#: This share of the records, at the beginning, is not measured.
WARM_UP = 0.25


def mapped(bootstrap: str, source: str, records: int, guarantee: str, parallelism: int) -> dict[str, Any]:
    """Kafka -> map -> Kafka: the values are bytes, the map reads and writes JSON."""
    return _run(bootstrap, source, records, guarantee, parallelism, keyed=False)


def by_key(bootstrap: str, source: str, records: int, guarantee: str, parallelism: int) -> dict[str, Any]:
    """Kafka -> count by key -> Kafka: the running count of each record's user."""
    return _run(bootstrap, source, records, guarantee, parallelism, keyed=True)


def into_delta(bootstrap: str, source: str, records: int, parallelism: int) -> dict[str, Any]:
    """Kafka -> Delta Lake: rows of JSON, exactly once."""
    with temporary_folder() as folder:

        def build(env: StreamExecutionEnvironment) -> None:
            kafka = source_of(bootstrap, source, True, JsonRowDeserializationSchema.builder().type_info(ROW).build())
            rows = env.from_source(kafka, WatermarkStrategy.no_watermarks(), "source")
            rows.sink_to(DeltaSink.builder().set_path(f"{folder}/table").set_row_type(ROW).build()).uid("sink")

        return _measure(build, records, parallelism)


def environment(parallelism: int, cores: int | None = None) -> StreamExecutionEnvironment:
    given = settings()
    given.master, given.parallelism = f"local[{cores or parallelism}]", parallelism
    given.properties["spark.sql.streaming.numRecentProgressUpdates"] = "1000"
    return StreamExecutionEnvironment.get_execution_environment()


def flow(lines: DataStream, keyed: bool) -> DataStream:
    """What the job does."""
    if not keyed:
        return lines.map(change)
    users = lines.map(lambda data: (user_of(data), 1)).key_by(lambda pair: pair[0])
    return users.reduce(lambda old, new: (old[0], old[1] + new[1])).map(lambda pair: counted(*pair))


def source_of(bootstrap: str, name: str, bounded: bool, schema: DeserializationSchema | None = None) -> KafkaSource:
    """The source of a topic; without a schema, of bytes."""
    builder = KafkaSource.builder().set_bootstrap_servers(bootstrap).set_topics(name)
    builder = builder.set_value_only_deserializer(schema or ByteArraySchema())
    if bounded:
        builder = builder.set_bounded(KafkaOffsetsInitializer.latest())
    return builder.build()


def sink_to(bootstrap: str, name: str, guarantee: str) -> KafkaSink:
    """The sink of a topic; records without a key."""
    schema = KafkaRecordSerializationSchema.builder().set_topic(name)
    builder = KafkaSink.builder().set_bootstrap_servers(bootstrap).set_transactional_id_prefix(name)
    builder = builder.set_record_serializer(schema.set_value_serialization_schema(ByteArraySchema()).build())
    return builder.set_delivery_guarantee(DeliveryGuarantee[guarantee]).build()


def _run(bootstrap: str, name: str, records: int, guarantee: str, parallelism: int, keyed: bool) -> dict[str, Any]:
    with topic(bootstrap) as target:

        def build(env: StreamExecutionEnvironment) -> None:
            lines = env.from_source(source_of(bootstrap, name, True), WatermarkStrategy.no_watermarks(), "source")
            flow(lines, keyed).sink_to(sink_to(bootstrap, target, guarantee)).uid("sink")

        return _measure(build, records, parallelism)


def _measure(build: Callable[[StreamExecutionEnvironment], None], records: int, parallelism: int) -> dict[str, Any]:
    env = environment(parallelism)
    watch = Watch(0, float("inf"))
    settings().listeners.append(watch)
    with temporary_folder() as checkpoint:
        settings().checkpoint_dir = checkpoint
        build(env)
        client = env.execute_async("kafka")
        client.get_job_execution_result().result()
        durations = progress_of(handle_of(client))
    return _rate(watch.epochs, durations, records)


def _rate(epochs: list[tuple[float, int, int]], durations: list[dict[str, int]], records: int) -> dict[str, Any]:
    read, warm = 0, 0
    for warm, (_, count, _) in enumerate(epochs):  # noqa: B007  the last index is wanted
        read += count
        if read >= WARM_UP * records:
            break
    measured = epochs[warm + 1 :]
    if not measured:
        raise RuntimeError(f"{len(epochs)} epochs are too few to measure a rate; take more records")
    took = measured[-1][0] - epochs[warm][0]
    count = sum(epoch[1] for epoch in measured)
    return {
        "value": count / took,
        "records": count,
        "seconds": took,
        "epochs": len(measured),
        "parts": {
            "records": count / len(measured),
            "epoch": 1000 * took / len(measured),
            **parts_of(durations[warm + 1 :]),
        },
    }
