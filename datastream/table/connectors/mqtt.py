"""The connector ``mqtt``: topics of MQTT 5, whose messages are rows that are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from datastream.connectors.mqtt import MqttConnection, MqttSink, MqttSource, MqttTls
from datastream.errors import ValidationError
from datastream.io import Backoff
from datastream.table.types.logical_types import (
    BooleanType,
    DataType,
    IntType,
    MapType,
    VarBinaryType,
    VarCharType,
)

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, Option, Settings, TableInfo, naming
from .messages import MapColumn, MessageConnector, TextColumn
from .mqtt_messages import TableMessages, TableTopics
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_MOST = 2**31 - 1
METADATA: Mapping[str, DataType] = {
    "topic": VarCharType(_MOST, False),
    "qos": IntType(False),
    "retain": BooleanType(False),
    "user-properties": MapType(VarCharType(_MOST, False), VarCharType(_MOST, True), False),
    "content-type": VarCharType(_MOST, True),
    "response-topic": VarCharType(_MOST, True),
    "correlation-data": VarBinaryType(_MOST, True),
}
#: Options in whole seconds.
_SECONDS = ("scan.session-expiry", "sink.message-expiry")


class MqttConnector(MessageConnector):
    """See the module. Only new rows can be written."""

    name = "mqtt"
    options = (
        Option("url", required=True, doc="Such as 'mqtt://host:1883', or 'mqtts://host' for TLS."),
        Option("username", doc="The user. Default: as the URL says."),
        Option("password", doc="The password. It is never shown."),
        Option("tls.ca-file", doc="File of the authorities to trust (PEM). Default: those of the machine."),
        Option("timeout", "duration", 10_000, doc="How long connecting, and an answer, may take."),
        Option(
            "topic",
            doc="To read: filters with `+` and `#`, also 'a;b'. To write: the topic of rows that do not name one.",
        ),
        Option("client-id", doc="To read: what the names of sessions begin with. It must stay the same."),
        Option("format", required=True, doc="Of payloads."),
        Option("scan.qos", default="1", choices=("0", "1"), doc="1: at least once. 0: messages may be lost."),
        Option("scan.id-property", doc="User property with an id that no other message has: it is read exactly once."),
        Option(
            "scan.session-expiry",
            "duration",
            86_400_000,
            doc="How long the server keeps messages while no job reads.",
        ),
        Option("scan.receive-maximum", "integer", 10_000, doc="Messages that the server sends ahead to a task."),
        Option("scan.max-payload-size", "memory", 16 << 20, doc="A larger payload fails the job."),
        Option("scan.retained", "boolean", False, doc="Retained messages come when a session begins."),
        SOURCE_PARALLELISM,
        Option("sink.qos", default="1", choices=("0", "1", "2"), doc="0: messages may be lost."),
        Option("sink.retain", "boolean", False, doc="The server retains the last message of each topic."),
        Option(
            "sink.message-expiry",
            "duration",
            doc="How long the server keeps messages for subscribers that are away. Default: for ever.",
        ),
        Option("sink.content-type", doc="Of payloads, such as 'application/json'."),
        Option("sink.batch-size", "integer", 1000, doc="Messages between two waits for confirmations."),
        Option("sink.max-retries", "integer", 8, doc="Tries of a batch when the server is away or has no room."),
        SINK_PARALLELISM,
    )
    metadata = METADATA
    writable_metadata = ("topic", "user-properties")

    def check(self, table: TableInfo) -> None:
        super().check(table)
        settings = self.settings(table)
        _connection(table, settings)
        for option, least in (("sink.batch-size", 1), ("sink.max-retries", 0)):
            if settings[option] < least:
                raise ValidationError(f"{table}: '{option}' must be at least {least}, got {settings[option]}")
        for option in _SECONDS:
            if settings[option] is not None and (settings[option] < 1000 or settings[option] % 1000):
                raise ValidationError(f"{table}: '{option}' must be whole seconds, got {table.options[option]!r}")

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        for option in ("topic", "client-id"):
            if not settings[option]:
                raise ValidationError(f"{table}: to read it, the option '{option}' must be set")
        messages = TableMessages(*self.reading(table, settings, wanted))
        builder = MqttSource.builder().set_connection(_connection(table, settings)).set_deserializer(messages)
        with naming(table):
            builder.set_topics(*settings["topic"].split(";")).set_client_id(settings["client-id"])
            builder.set_qos(int(settings["scan.qos"])).set_retained(settings["scan.retained"])
            builder.set_session_expiry(settings["scan.session-expiry"] // 1000)
            builder.set_receive_maximum(settings["scan.receive-maximum"])
            builder.set_max_payload_size(settings["scan.max-payload-size"])
            if settings["scan.id-property"] is not None:
                builder.set_id_property(settings["scan.id-property"])
            source = TableTopics(builder.build().subscription, messages)
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        content, columns = self.writing(table, settings)
        topic = settings["topic"]
        if "topic" not in columns and not topic:
            raise ValidationError(
                f"{table}: to write it, the option 'topic' must be set, or a column have the metadata 'topic'"
            )
        builder = MqttSink.builder().set_connection(_connection(table, settings))
        with naming(table):
            builder.set_topic(TextColumn(columns["topic"], topic or "") if "topic" in columns else topic)
            builder.set_serializer(content)
            builder.set_qos(int(settings["sink.qos"])).set_retain(settings["sink.retain"])
            if "user-properties" in columns:
                builder.set_user_properties(MapColumn(columns["user-properties"]))
            if settings["sink.message-expiry"] is not None:
                builder.set_message_expiry(settings["sink.message-expiry"] // 1000)
            if settings["sink.content-type"] is not None:
                builder.set_content_type(settings["sink.content-type"])
            sink = builder.set_backoff(Backoff(settings["sink.max-retries"])).build()
        sink.batch_size = settings["sink.batch-size"]
        return self.written(stream, sink, settings, name)


def _connection(table: TableInfo, settings: Settings) -> MqttConnection:
    tls = None if settings["tls.ca-file"] is None else MqttTls(settings["tls.ca-file"])
    with naming(table):
        return MqttConnection.of_url(
            settings["url"], settings["username"], settings["password"], tls, settings["timeout"]
        )
