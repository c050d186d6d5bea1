"""`RMQSink`: records as messages of a queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.io import Backoff, BatchingSink, WriterContext

from .connection_config import RMQConnectionConfig
from .parameters import check_pika
from .publish_options import RMQSinkPublishOptions
from .publisher import Publisher


class RMQSink(BatchingSink):
    """Sends each record to a queue or an exchange, at least once: it waits until the server has confirmed a batch.

    Messages are persistent. What the server does not take is sent again. An epoch that runs again sends its records
    again. Flink's sink does not wait for confirmations, and may lose messages.

    Args:
        connection_config: The server.
        queue_name: The queue, which is declared: made, durable, unless it is there. None: none is; see publish_options.
        serialization_schema: How records become bodies.
        publish_options: Exchange, routing key and properties. Default: to the queue, by the default exchange. An
            addition to PyFlink's names, taken from Java's.
        passive: Only see that the queue is there, whatever its settings. An addition.
        queue_arguments: Arguments of the declaration, such as ``{"x-queue-type": "quorum"}``. An addition.

    Attributes:
        batch_size: Messages between two waits for confirmations.
        backoff: Tries of a batch, and pauses between them. Default: as `set_network_recovery_interval` says.
        confirm_ms: How long the server may take to confirm.

    Raises:
        ValidationError: An argument is of the wrong type, or no queue and no options are given.
    """

    batch_size = 1000
    confirm_ms: int = 30_000

    def __init__(
        self,
        connection_config: RMQConnectionConfig,
        queue_name: str | None,
        serialization_schema: SerializationSchema,
        publish_options: RMQSinkPublishOptions | None = None,
        *,
        passive: bool = False,
        queue_arguments: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(connection_config, RMQConnectionConfig):
            raise ValidationError(
                f"RMQSink needs an RMQConnectionConfig; call .build() on the builder; got {cut(connection_config)}"
            )
        if queue_name is None and publish_options is None:
            raise ValidationError("RMQSink needs the name of a queue, or publish_options that say where messages go")
        if queue_name is not None and (not isinstance(queue_name, str) or not queue_name):
            raise ValidationError(f"RMQSink needs the name of a queue, got {cut(queue_name)}")
        if not isinstance(serialization_schema, SerializationSchema):
            raise ValidationError(
                f"RMQSink needs a SerializationSchema such as SimpleStringSchema(), got {cut(serialization_schema)}"
            )
        if publish_options is not None and not isinstance(publish_options, RMQSinkPublishOptions):
            raise ValidationError(f"RMQSink needs RMQSinkPublishOptions, got {cut(publish_options)}")
        self.connection_config = connection_config
        self.queue_name = queue_name
        self.serialization_schema = serialization_schema
        self.publish_options = publish_options
        self.passive = bool(passive)
        self.queue_arguments = dict(queue_arguments or {})
        if connection_config.automatic_recovery is False:
            self.backoff = Backoff(retries=0)
        elif (pause_ms := connection_config.network_recovery_interval) is not None:
            self.backoff = Backoff(initial_ms=pause_ms, factor=1, max_ms=pause_ms)

    def validate(self) -> None:
        check_pika()

    def connect(self, context: WriterContext) -> Publisher:
        return Publisher(self, context)

    def write(self, connection: Publisher, records: list[Any]) -> Sequence[Any]:
        return connection.publish(records)
