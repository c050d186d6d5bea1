"""The connector ``rabbitmq``: queues that are read, and queues and exchanges that are written to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit, urlunsplit

from datastream.connectors.rabbitmq import RMQConnectionConfig, RMQSink, RMQSinkPublishOptions, RMQTls
from datastream.errors import ValidationError
from datastream.io import Backoff
from datastream.table.types.logical_types import (
    BooleanType,
    DataType,
    LocalZonedTimestampType,
    MapType,
    VarCharType,
)

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, Option, Settings, TableInfo
from .messages import MessageConnector, TextColumn
from .rabbitmq_messages import Properties, TableQueue
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_MOST = 2**31 - 1
METADATA: Mapping[str, DataType] = {
    "exchange": VarCharType(_MOST, False),
    "routing-key": VarCharType(_MOST, False),
    "correlation-id": VarCharType(_MOST, True),
    "message-id": VarCharType(_MOST, True),
    "timestamp": LocalZonedTimestampType(0, True),
    "headers": MapType(VarCharType(_MOST, False), VarCharType(_MOST, True), False),
    "redelivered": BooleanType(False),
}
_PROPERTIES = ("correlation-id", "message-id", "timestamp", "headers")


class RabbitmqConnector(MessageConnector):
    """See the module. Only new rows can be written."""

    name = "rabbitmq"
    options = (
        Option("url", required=True, doc="Such as 'amqp://host:5672/%2F', or 'amqps://host/%2F' for TLS."),
        Option("username", doc="The user. Default: as the URL says, else guest."),
        Option("password", doc="The password. It is never shown."),
        Option("tls.ca-file", doc="File of the authorities to trust (PEM). Default: those of the machine."),
        Option(
            "queue", doc="The queue to read, and to write unless there is an exchange. It is made unless it is there."
        ),
        Option("queue.passive", "boolean", False, doc="The queue must be there, and is taken as it is."),
        Option("queue.arguments", "map", doc="Of the queue's declaration: 'x-queue-type:quorum,x-max-length:1000'."),
        Option("format", required=True, doc="Of the bodies of messages."),
        Option(
            "scan.correlation-ids",
            "boolean",
            False,
            doc="Each message has a correlation id that no other one has: it is read exactly once.",
        ),
        Option("scan.prefetch-count", "integer", doc="Messages that the server sends ahead to a task."),
        SOURCE_PARALLELISM,
        Option("sink.exchange", doc="The exchange to write to, which must be there. Default: to the queue."),
        Option("sink.routing-key", doc="The key of messages. Default: the name of the queue."),
        Option(
            "sink.mandatory", "boolean", True, doc="A message that no queue takes fails the job; else it is dropped."
        ),
        Option("sink.batch-size", "integer", 1000, doc="Messages between two waits for confirmations."),
        Option("sink.max-retries", "integer", 8, doc="Tries of a batch when the server is away or has no room."),
        SINK_PARALLELISM,
    )
    metadata = METADATA
    writable_metadata = ("routing-key", *_PROPERTIES)

    def check(self, table: TableInfo) -> None:
        super().check(table)
        settings = self.settings(table)
        if settings["queue"] is None and settings["sink.exchange"] is None:
            raise ValidationError(f"{table}: the option 'queue' is missing; to write alone, set 'sink.exchange'")
        if settings["sink.batch-size"] < 1:
            raise ValidationError(f"{table}: 'sink.batch-size' must be positive, got {settings['sink.batch-size']}")
        if settings["sink.max-retries"] < 0:
            raise ValidationError(
                f"{table}: 'sink.max-retries' must not be negative, got {settings['sink.max-retries']}"
            )
        _config(table, settings)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        if settings["queue"] is None:
            raise ValidationError(f"{table}: to read it, the option 'queue' must be set")
        source = TableQueue(
            _config(table, settings),
            settings["queue"],
            settings["scan.correlation-ids"],
            *self.reading(table, settings, wanted),
            settings["queue.passive"],
            _arguments(settings),
        )
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        content, columns = self.writing(table, settings)
        exchange = settings["sink.exchange"] or ""
        key: Any = settings["sink.routing-key"] or ("" if exchange else settings["queue"])
        if "routing-key" in columns:
            key = TextColumn(columns.pop("routing-key"), key)
        sink = RMQSink(
            _config(table, settings),
            None if exchange else settings["queue"],
            content,
            RMQSinkPublishOptions(key, exchange, Properties(columns) if columns else None, settings["sink.mandatory"]),
            passive=settings["queue.passive"],
            queue_arguments=_arguments(settings),
        )
        sink.batch_size = settings["sink.batch-size"]
        sink.backoff = Backoff(settings["sink.max-retries"])
        return self.written(stream, sink, settings, name)


def _config(table: TableInfo, settings: Settings) -> RMQConnectionConfig:
    """How the server is reached.

    Raises:
        ValidationError: The URL is wrong. It is not shown, as it may hold a password.
    """
    builder = RMQConnectionConfig.Builder()
    try:
        builder.set_uri(_with_login(table, settings))
        if settings["tls.ca-file"] is not None:
            builder.set_tls(RMQTls(settings["tls.ca-file"]))
        if settings["scan.prefetch-count"] is not None:
            builder.set_prefetch_count(settings["scan.prefetch-count"])
        return builder.build()
    except ValidationError as error:
        said = str(error).replace("set_uri needs", "option 'url': expected")
        said = said.replace("set_prefetch_count", "'scan.prefetch-count'")
        raise ValidationError(f"{table}: {said}") from None


def _with_login(table: TableInfo, settings: Settings) -> str:
    url, user, password = settings["url"], settings["username"], settings["password"]
    if (user is None) != (password is None):
        raise ValidationError("either all or none of the options 'username' and 'password' must be set")
    if user is None:
        return str(url)
    try:
        parts = urlsplit(url)
    except ValueError:
        return str(url)  # refused as it is
    place = parts.netloc.rpartition("@")[2]
    made: str = urlunsplit(parts._replace(netloc=f"{quote(user, safe='')}:{quote(password, safe='')}@{place}"))
    return made


def _arguments(settings: Settings) -> dict[str, Any]:
    """The arguments of a declaration; whole numbers and truth values are no texts."""
    found: dict[str, str] = settings["queue.arguments"] or {}
    words = {"true": True, "false": False}
    return {
        name: int(value) if value.lstrip("-").isdigit() else words.get(value, value) for name, value in found.items()
    }
