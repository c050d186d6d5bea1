"""The connector ``pulsar``: topics of Apache Pulsar, whose messages are rows that are added."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from datastream.connectors.pulsar import (
    DeliveryGuarantee,
    MessageDelayer,
    PulsarSink,
    PulsarSource,
    StartCursor,
    StopCursor,
    TopicRoutingMode,
)
from datastream.connectors.server_settings import check_package
from datastream.errors import ValidationError, cut
from datastream.table.types.logical_types import (
    DataType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    VarBinaryType,
    VarCharType,
)
from datastream.time import Duration

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, Option, Settings, TableInfo, naming
from .messages import MessageConnector
from .pulsar_messages import RowFields, TableMessages, TableTopics
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_MOST = 2**31 - 1
METADATA: Mapping[str, DataType] = {
    "topic": VarCharType(_MOST, False),
    "message_size": IntType(False),
    "producer_name": VarCharType(_MOST, False),
    "message_id": VarBinaryType(_MOST, False),
    "publish_time": LocalZonedTimestampType(3, False),
    "event_time": LocalZonedTimestampType(3, True),
    "key": VarCharType(_MOST, True),
    "properties": MapType(VarCharType(_MOST, False), VarCharType(_MOST, True), False),
}
_READS = ("pulsar.client.", "pulsar.admin.", "pulsar.source.", "pulsar.consumer.", "pulsar.subscription.")
_WRITES = ("pulsar.client.", "pulsar.admin.", "pulsar.sink.", "pulsar.producer.")
_START = ("source.start.message-id", "source.start.publish-time")
_STOP = ("source.stop.at-message-id", "source.stop.after-message-id", "source.stop.at-publish-time")
#: ``ledger:entry:partition``, and perhaps ``:index of the batch``.
_ID = re.compile(r"(\d+):(\d+):(-1|\d+)(?::(-1|\d+))?")


class PulsarConnector(MessageConnector):
    """See the module. Only new rows can be written."""

    name = "pulsar"
    options = (
        Option("topics", "list", required=True, doc="Topics, or single partitions such as `orders-partition-0`."),
        Option("service-url", required=True, doc="Such as 'pulsar://host:6650', or 'pulsar+ssl://host:6651' for TLS."),
        Option("admin-url", doc="Such as 'http://host:8080'. Needed to write exactly once."),
        Option("format", required=True, doc="Of contents."),
        Option("source.subscription-name", doc="Needed to read: the subscription in which messages are acknowledged."),
        Option(
            "source.start.message-id",
            doc="Where a new job starts: `earliest` (default), `latest`, or a message as 'ledger:entry:partition'.",
        ),
        Option(
            "source.start.publish-time", "integer", doc="Or the time when messages were published, in ms since 1970."
        ),
        Option(
            "source.stop.at-message-id",
            doc="Where reading stops: `never` (default), `latest`, or before a message as 'ledger:entry:partition'.",
        ),
        Option("source.stop.after-message-id", doc="Or after this message."),
        Option("source.stop.at-publish-time", "integer", doc="Or before messages of this time, in ms since 1970."),
        SOURCE_PARALLELISM,
        Option(
            "sink.delivery-guarantee",
            default="at-least-once",
            choices=("none", "at-least-once", "exactly-once"),
            doc="`exactly-once` needs deduplication; see [Pulsar](pulsar.md#exactly-once-by-the-sink).",
        ),
        Option(
            "sink.topic-routing-mode",
            default="round-robin",
            choices=("round-robin", "message-key-hash"),
            doc="Partitions by turns, or by the metadata `key`.",
        ),
        Option(
            "sink.message-delay-interval",
            "duration",
            0,
            doc="Consumers of shared subscriptions get messages so much later.",
        ),
        SINK_PARALLELISM,
        Option("pulsar.*", doc="[Properties](pulsar.md#properties), such as `pulsar.client.authParams`."),
    )
    metadata = METADATA
    writable_metadata = ("event_time", "key", "properties")

    def check(self, table: TableInfo) -> None:
        super().check(table)
        settings = self.settings(table)
        for group in (_START, _STOP):
            given = [option for option in group if settings[option] is not None]
            if len(given) > 1:
                raise ValidationError(f"{table}: only one of the options {', '.join(map(repr, given))} can be set")
        with naming(table):
            _start(table, settings)
            _stop(table, settings)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        subscription = settings["source.subscription-name"]
        if not subscription:
            raise ValidationError(f"{table}: to read it, the option 'source.subscription-name' must be set")
        messages = TableMessages(*self.reading(table, settings, wanted))
        with naming(table):
            builder = PulsarSource.builder().set_service_url(settings["service-url"]).set_topics(settings["topics"])
            builder.set_subscription_name(subscription).set_deserialization_schema(messages)
            builder.set_start_cursor(_start(table, settings))
            stop = _stop(table, settings)
            if stop is not None:
                builder.set_bounded_stop_cursor(stop)
            if settings["admin-url"] is not None:
                builder.set_admin_url(settings["admin-url"])
            built = builder.set_properties(_properties(table, _READS)).build()
        source = TableTopics(built.settings, built.bounded)
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        content, columns = self.writing(table, settings)
        guarantee = DeliveryGuarantee[settings["sink.delivery-guarantee"].replace("-", "_").upper()]
        mode = TopicRoutingMode[settings["sink.topic-routing-mode"].replace("-", "_").upper()]
        with naming(table):
            builder = PulsarSink.builder().set_service_url(settings["service-url"]).set_topics(settings["topics"])
            builder.set_serialization_schema(content).set_delivery_guarantee(guarantee).set_topic_routing_mode(mode)
            if settings["admin-url"] is not None:
                builder.set_admin_url(settings["admin-url"])
            if settings["sink.message-delay-interval"]:
                delay = Duration.of_millis(settings["sink.message-delay-interval"])
                builder.delay_sending_message(MessageDelayer.fixed(delay))
            built = builder.set_properties(_properties(table, _WRITES)).build()
        sink = PulsarSink(replace(built.settings, fields=RowFields(columns))) if columns else built
        return self.written(stream, sink, settings, name)


def _properties(table: TableInfo, prefixes: tuple[str, ...]) -> dict[str, str]:
    """The properties of the table's options that a source or a sink takes.

    Raises:
        ValidationError: Neither takes one.
    """
    given = {name: value for name, value in table.options.items() if name.startswith("pulsar.")}
    for name in given:
        if not name.startswith((*_READS, *_WRITES)):
            there = ", ".join(dict.fromkeys((*_READS, *_WRITES)))
            raise ValidationError(f"the option {name!r} is not known; names begin with {there}")
    return {name: value for name, value in given.items() if name.startswith(prefixes)}


def _start(table: TableInfo, settings: Settings) -> StartCursor:
    at, time = (settings[option] for option in _START)
    if time is not None:
        return StartCursor.from_publish_time(time)
    if at in (None, "earliest"):
        return StartCursor.earliest()
    return StartCursor.latest() if at == "latest" else StartCursor.from_message_id(_message_id(at, _START[0]))


def _stop(table: TableInfo, settings: Settings) -> StopCursor | None:
    """Where reading stops; None: nowhere."""
    at, after, time = (settings[option] for option in _STOP)
    if time is not None:
        return StopCursor.at_publish_time(time)
    if after is not None:
        return StopCursor.after_message_id(_message_id(after, _STOP[1]))
    if at in (None, "never"):
        return None
    return StopCursor.latest() if at == "latest" else StopCursor.at_message_id(_message_id(at, _STOP[0]))


def _message_id(text: str, option: str) -> bytes:
    """The bytes of a message id.

    Raises:
        ValidationError: The text is none.
    """
    check_package("Pulsar", "pulsar", "pulsar-client>=3.13,<4")
    import pulsar

    found = _ID.fullmatch(text)
    if found is None:
        raise ValidationError(
            f"option {option!r}: expected a message as 'ledger:entry:partition', where -1 is the partition of a topic "
            f"without partitions, got {cut(text)}"
        )
    ledger, entry, partition, index = (int(part) if part is not None else -1 for part in found.groups())
    made: Any = pulsar.MessageId(partition, ledger, entry, index)
    serialized: bytes = made.serialize()
    return serialized
