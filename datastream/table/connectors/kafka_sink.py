"""The part of Kafka's connectors that writes: options of tables -> a `KafkaSink`."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaRecordSerializationSchema,
    KafkaRecordSerializationSchemaBuilder,
    KafkaSink,
)
from datastream.errors import UnsupportedOperation, ValidationError, cut

from .connector import SINK_PARALLELISM, TableInfo, naming
from .formats.changes import ChangeFormat
from .kafka_columns import Part
from .kafka_writing import HeadersColumn, RoundRobin, TableRecords, TopicColumn
from .options import Option, Settings
from .picked_columns import PickedColumns, picker

SINK_OPTIONS = (
    Option("sink.partitioner", default="default", doc="default: by key, or any; round-robin."),
    Option(
        "sink.delivery-guarantee",
        default="at-least-once",
        choices=("none", "at-least-once", "exactly-once"),
        doc="What is promised.",
    ),
    Option("sink.transactional-id-prefix", doc="Of exactly once: one for each job."),
    SINK_PARALLELISM,
)


def kafka_sink(
    table: TableInfo, settings: Settings, value: Part, key: Part | None, updates: bool, upserts: bool = False
) -> KafkaSink:
    """The sink of a table.

    Args:
        table: The table.
        settings: Its options.
        value: The values of records.
        key: The keys.
        updates: Whether the rows' kind comes before them.
        upserts: Whether rows that are taken away are tombstones.

    Raises:
        ValidationError: options are missing or contradict each other.
    """
    builder = KafkaRecordSerializationSchema.builder()
    names = [*(["kind"] if updates else []), *(column.name for column in table.columns), *table.persisted]
    first = 1 if updates else 0

    def picked(part: Part, with_tombstones: bool) -> PickedColumns:
        indexes = [names.index(name, first) for name in part.names]
        if updates and isinstance(part.form, ChangeFormat):
            encoder, indexes = part.form.change_encoder(part.layout, part.options), [0, *indexes]
        else:
            encoder = part.form.encoder(part.layout, part.options)
        return PickedColumns(encoder, picker(indexes, len(names)), with_tombstones)

    metadata = {table.metadata[name]: names.index(name, first) for name in table.persisted}
    if "topic" in metadata:
        builder.set_topic_selector(TopicColumn(metadata["topic"]))
    else:
        builder.set_topic(_topic(table, settings))
    builder.set_value_serialization_schema(picked(value, upserts and updates))
    if key is not None:
        builder.set_key_serialization_schema(picked(key, False))
    if "headers" in metadata:
        builder.set_header_provider(HeadersColumn(metadata["headers"]))
    _set_partitioner(table, settings, builder)
    guarantee = DeliveryGuarantee[settings["sink.delivery-guarantee"].upper().replace("-", "_")]
    sink = KafkaSink.builder().set_properties(settings.below("properties.")).set_delivery_guarantee(guarantee)
    replaced = None
    if key is not None and upserts and updates:
        replaced = picker([names.index(name, first) for name in key.names], len(names))
    sink.set_record_serializer(TableRecords(builder.build(), metadata.get("timestamp"), replaced))
    prefix = settings["sink.transactional-id-prefix"]
    if guarantee is DeliveryGuarantee.EXACTLY_ONCE:
        if prefix is None:
            raise ValidationError(f"{table}: 'exactly-once' needs the option 'sink.transactional-id-prefix'")
        sink.set_transactional_id_prefix(prefix)
    with naming(table):
        return sink.build()


def _topic(table: TableInfo, settings: Settings) -> str:
    topics: Sequence[str] = settings["topic"]
    if len(topics) != 1:
        raise ValidationError(f"{table}: to write it, the option 'topic' must name one topic, got {cut(list(topics))}")
    return topics[0]


def _set_partitioner(table: TableInfo, settings: Settings, builder: KafkaRecordSerializationSchemaBuilder) -> None:
    chosen = settings["sink.partitioner"].lower()
    if chosen == "round-robin":
        builder.set_partitioner(RoundRobin())
    elif chosen != "default":
        raise UnsupportedOperation(
            f"{table}: 'sink.partitioner' = {settings['sink.partitioner']!r} is not supported: tasks choose partitions "
            "by the record's key; use 'default' or 'round-robin'"
        )
