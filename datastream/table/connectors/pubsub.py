"""The connector ``pubsub``: subscriptions and topics of Google Pub/Sub, whose messages are rows that are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from datastream.connectors.pubsub import PubSubSink, PubSubSinkBuilder, PubSubSource, PubSubSourceBuilder
from datastream.errors import ValidationError
from datastream.table.types.logical_types import DataType, LocalZonedTimestampType, MapType, VarCharType

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, Option, Settings, TableInfo, naming
from .messages import MapColumn, MessageConnector, TextColumn
from .pubsub_columns import TableMessages
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_MOST = 2**31 - 1
METADATA: Mapping[str, DataType] = {
    "message-id": VarCharType(_MOST, False),
    "publish-time": LocalZonedTimestampType(3, False),
    "attributes": MapType(VarCharType(_MOST, False), VarCharType(_MOST, True), False),
    "ordering-key": VarCharType(_MOST, False),
}
_Builder = TypeVar("_Builder", PubSubSourceBuilder, PubSubSinkBuilder)


class PubsubConnector(MessageConnector):
    """See the module. Only new rows can be written."""

    name = "pubsub"
    options = (
        Option("project", required=True, doc="Id of the project."),
        Option("subscription", doc="To read: the subscription, which must be there."),
        Option("topic", doc="To write: the topic, which must be there."),
        Option("format", required=True, doc="Of the content of messages."),
        Option("credentials-file", doc="A service account's JSON file, at the same path on each machine of the job."),
        Option("emulator", doc="Address of an emulator. Default: that of PUBSUB_EMULATOR_HOST, if it is set."),
        Option("endpoint", doc="Address of the service, such as 'europe-west1-pubsub.googleapis.com:443'."),
        Option("scan.startup.timestamp-millis", "integer", doc="A new job seeks to this time, in ms since 1970."),
        Option("scan.startup.snapshot", doc="A new job seeks to this snapshot."),
        Option("scan.message-ordering", "boolean", doc="One task reads, in order. Default: as the subscription says."),
        Option("scan.max-messages-per-pull", "integer", 1000, doc="Messages of a request at most."),
        SOURCE_PARALLELISM,
        SINK_PARALLELISM,
    )
    metadata = METADATA
    writable_metadata = ("attributes", "ordering-key")

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        builder = _placed(PubSubSource.new_builder(), table, settings)
        builder.with_subscription_name(_needed(table, settings, "subscription", "read"))
        builder.with_deserialization_schema(TableMessages(*self.reading(table, settings, wanted)))
        if settings["scan.message-ordering"] is not None:
            builder.with_message_ordering(settings["scan.message-ordering"])
        with naming(table):
            builder.with_pub_sub_subscriber_factory(settings["scan.max-messages-per-pull"])
            if settings["scan.startup.timestamp-millis"] is not None:
                builder.with_start_from_timestamp(settings["scan.startup.timestamp-millis"])
            if settings["scan.startup.snapshot"] is not None:
                builder.with_start_from_snapshot(settings["scan.startup.snapshot"])
            source = builder.build()
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        content, columns = self.writing(table, settings)
        builder = _placed(PubSubSink.new_builder(), table, settings)
        builder.with_topic_name(_needed(table, settings, "topic", "write"))
        builder.with_serialization_schema(content)
        if "attributes" in columns:
            builder.with_attributes(MapColumn(columns["attributes"]))
        if "ordering-key" in columns:
            builder.with_ordering_key(TextColumn(columns["ordering-key"], ""))
        with naming(table):
            sink = builder.build()
        return self.written(stream, sink, settings, name)


def _placed(builder: _Builder, table: TableInfo, settings: Settings) -> _Builder:
    """A builder that knows where the service is."""
    builder.with_project_name(settings["project"])
    if settings["credentials-file"] is not None:
        builder.with_credentials_file(settings["credentials-file"])
    if settings["emulator"] is not None:
        builder.with_host_and_port_for_emulator(settings["emulator"])
    if settings["endpoint"] is not None:
        builder.with_endpoint(settings["endpoint"])
    return builder


def _needed(table: TableInfo, settings: Settings, option: str, use: str) -> str:
    found: str | None = settings[option]
    if found is None:
        raise ValidationError(f"{table}: to {use} it, the option '{option}' must be set")
    return found
