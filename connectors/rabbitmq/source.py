"""`RMQSource`: the messages of a queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema
from datastream.formats.schema import checked_schema
from datastream.io import (
    Produced,
    QueueConnection,
    QueueSource,
    ReaderContext,
    SourceReader,
)
from datastream.types import TypeInformation

from .connection_config import RMQConnectionConfig
from .consumer import Consumer
from .parameters import check_pika
from .reader import RMQReader


class RMQSource(QueueSource):
    """The messages of a queue, without end; for ``add_source`` or ``from_source``.

    A task pulls messages, stores them beside the checkpoint, acknowledges them, and only then emits them. With
    correlation ids each message comes exactly once, given that each has an id of its own; without, at least once.

    Args:
        connection_config: The server.
        queue_name: The queue. It is declared: made, durable, unless it is there.
        use_correlation_id: Whether each message has an id of its own in its property ``correlation_id``.
        deserialization_schema: How bodies become records. A body for which it returns None is dropped.
        passive: Only see that the queue is there, whatever its settings. An addition to Flink's names.
        queue_arguments: Arguments of the declaration, such as ``{"x-queue-type": "quorum"}``. An addition, too.

    Attributes:
        wait_ms: How long a look waits for the first message.

    Raises:
        ValidationError: An argument is of the wrong type.
    """

    wait_ms: int = 50

    def __init__(
        self,
        connection_config: RMQConnectionConfig,
        queue_name: str,
        use_correlation_id: bool,
        deserialization_schema: DeserializationSchema,
        *,
        passive: bool = False,
        queue_arguments: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(connection_config, RMQConnectionConfig):
            raise ValidationError(
                f"RMQSource needs an RMQConnectionConfig; call .build() on the builder; got {cut(connection_config)}"
            )
        if not isinstance(queue_name, str) or not queue_name:
            raise ValidationError(f"RMQSource needs the name of a queue, got {cut(queue_name)}")
        self.connection_config = connection_config
        self.queue_name = queue_name
        self.use_correlation_id = bool(use_correlation_id)
        if not self.use_correlation_id:
            self.kept_s = 0.0  # there are no ids
        self.deserialization_schema: DeserializationSchema = checked_schema(deserialization_schema, "RMQSource")
        self.passive = bool(passive)
        self.queue_arguments = dict(queue_arguments or {})

    @property
    def produced(self) -> Produced:
        return Produced.by(self.deserialization_schema)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        return self.deserialization_schema.get_produced_type()

    def validate(self) -> None:
        check_pika()

    def connect(self) -> QueueConnection:
        return Consumer(self)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return RMQReader(self, context)
