"""The part of Kafka's connectors that finds topics and offsets: options of tables -> a `KafkaSource`."""

from __future__ import annotations

from typing import Any

from datastream.connectors.kafka import (
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaSource,
    KafkaTopicPartition,
)
from datastream.errors import ValidationError, cut

from .connector import TableInfo
from .options import Option, Settings

OPTIONS = (
    Option("topic", "list", (), doc="Topics; to write there has to be one, or a column of metadata that chooses."),
    Option("topic-pattern", doc="Regular expression of the topics to read."),
    Option("properties.bootstrap.servers", required=True, doc="Brokers: host:port, with commas."),
    Option("properties.*", doc="Of the client, by Kafka's names."),
)
SCAN_OPTIONS = (
    Option(
        "scan.startup.mode",
        default="group-offsets",
        choices=("earliest-offset", "latest-offset", "group-offsets", "timestamp", "specific-offsets"),
        doc="Where a new job starts.",
    ),
    Option("scan.startup.specific-offsets", doc="partition:0,offset:42;partition:1,offset:300."),
    Option("scan.startup.timestamp-millis", "integer", doc="ms since 1970."),
    Option(
        "scan.bounded.mode",
        default="unbounded",
        choices=("unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets"),
        doc="Where the table ends.",
    ),
    Option("scan.bounded.specific-offsets", doc="As of the start."),
    Option("scan.bounded.timestamp-millis", "integer", doc="ms since 1970."),
    Option("scan.topic-partition-discovery.interval", "duration", doc="How often to look for new partitions."),
)


def kafka_source(table: TableInfo, settings: Settings, deserializer: KafkaRecordDeserializationSchema) -> KafkaSource:
    """The source of a table.

    Raises:
        ValidationError: options are missing or contradict each other.
    """
    topics, pattern = settings["topic"], settings["topic-pattern"]
    if bool(topics) == bool(pattern):
        raise ValidationError(f"{table}: set one of the options 'topic' and 'topic-pattern'")
    builder = KafkaSource.builder().set_properties(settings.below("properties.")).set_deserializer(deserializer)
    if topics:
        builder.set_topics(*topics)
    else:
        builder.set_topic_pattern(pattern)
    interval = settings["scan.topic-partition-discovery.interval"]
    if interval is not None:
        builder.set_property("partition.discovery.interval.ms", str(interval))
    try:
        builder.set_starting_offsets(_offsets(table, settings, "startup"))
        if settings["scan.bounded.mode"] != "unbounded":
            builder.set_bounded(_offsets(table, settings, "bounded"))
        return builder.build()
    except ValidationError as error:
        raise ValidationError(str(error) if str(error).startswith(str(table)) else f"{table}: {error}") from None


def _offsets(table: TableInfo, settings: Settings, which: str) -> KafkaOffsetsInitializer:
    mode = settings[f"scan.{which}.mode"]
    if mode == "earliest-offset":
        return KafkaOffsetsInitializer.earliest()
    if mode == "latest-offset":
        return KafkaOffsetsInitializer.latest()
    if mode == "timestamp":
        at = _needed(table, settings, f"scan.{which}.timestamp-millis", mode)
        return KafkaOffsetsInitializer.timestamp(at)
    if mode == "specific-offsets":
        text = _needed(table, settings, f"scan.{which}.specific-offsets", mode)
        if len(settings["topic"]) != 1:
            raise ValidationError(f"{table}: the mode 'specific-offsets' needs one topic")
        topic = settings["topic"][0]
        try:
            pairs = [_pair(part) for part in text.split(";") if part.strip()]
        except ValueError:
            option = f"option 'scan.{which}.specific-offsets'"
            raise ValidationError(f"{table}: {option}: expected 'partition:0,offset:42;...', got {cut(text)}") from None
        return KafkaOffsetsInitializer.offsets({KafkaTopicPartition(topic, number): offset for number, offset in pairs})
    if not settings.below("properties.").get("group.id"):
        hint = " (the default)" if which == "startup" and "scan.startup.mode" not in settings else ""
        raise ValidationError(
            f"{table}: the mode 'group-offsets'{hint} of 'scan.{which}.mode' needs 'properties.group.id'; or set "
            f"'scan.{which}.mode' to {'earliest-offset' if which == 'startup' else 'latest-offset'}"
        )
    return KafkaOffsetsInitializer.committed_offsets(_reset(table, settings))


def _pair(text: str) -> tuple[int, int]:
    found = dict(piece.split(":") for piece in text.replace(" ", "").split(","))
    if set(found) != {"partition", "offset"}:
        raise ValueError
    return int(found["partition"]), int(found["offset"])


def _needed(table: TableInfo, settings: Settings, name: str, mode: str) -> Any:
    value = settings[name]
    if value is None:
        raise ValidationError(f"{table}: the mode '{mode}' needs the option '{name}'")
    return value


def _reset(table: TableInfo, settings: Settings) -> KafkaOffsetResetStrategy:
    text = settings.below("properties.").get("auto.offset.reset", "none").upper()
    if text not in KafkaOffsetResetStrategy.__members__:
        raise ValidationError(
            f"{table}: option 'properties.auto.offset.reset': expected earliest, latest or none, got {cut(text)}"
        )
    return KafkaOffsetResetStrategy[text]
