"""Messages of RabbitMQ as tuples of their content and properties, and what a sink reads off its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from datastream.connectors.rabbitmq import RMQConnectionConfig, RMQSource
from datastream.connectors.rabbitmq.consumer import Consumer
from datastream.formats import DeserializationSchema
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, Produced, QueueConnection, ReaderContext, SourceReader
from datastream.io.queues import QueueReader, QueueSplit

from .formats.format import Decoder
from .messages import MessageRows

_US = 1_000_000


class QueueMessage(NamedTuple):
    """A message as it is kept.

    Attributes:
        data: Its body.
        exchange: The exchange that it was sent to; empty: the default one.
        routing_key: The key that it was sent with.
        correlation_id: Of its properties; None: it has none.
        message_id: The same.
        timestamp: The same, in seconds since 1970.
        headers: Texts; a value of another kind by its text.
        redelivered: Whether the server has delivered it before.
    """

    data: bytes
    exchange: str
    routing_key: str
    correlation_id: str | None
    message_id: str | None
    timestamp: int | None
    headers: dict[str, str | None]
    redelivered: bool


class TableMessages(MessageRows[QueueMessage], DeserializationSchema):
    """Reads messages as tuples."""

    values = {
        "exchange": lambda message: message.exchange,
        "routing-key": lambda message: message.routing_key,
        "correlation-id": lambda message: message.correlation_id,
        "message-id": lambda message: message.message_id,
        "timestamp": lambda message: None if message.timestamp is None else message.timestamp * _US,
        "headers": lambda message: dict(message.headers),
        "redelivered": lambda message: message.redelivered,
    }

    @staticmethod
    def named(message: QueueMessage, origin: str) -> str:
        return f"a message of the queue {origin!r}"

    def deserialize(self, message: Any) -> Any:
        return self.row_of(QueueMessage._make(message))


class TableQueue(RMQSource):
    """Reads the messages of a queue as tuples.

    Args:
        config: The server.
        queue_name: The queue.
        use_correlation_id: Each message has an id of its own.
        content: Reads bodies.
        places: As of `MessageRows`.
        passive: As of `RMQSource`.
        queue_arguments: As of `RMQSource`.
    """

    def __init__(
        self,
        config: RMQConnectionConfig,
        queue_name: str,
        use_correlation_id: bool,
        content: Decoder,
        places: Sequence[int | str],
        passive: bool,
        queue_arguments: Mapping[str, Any],
    ) -> None:
        messages = TableMessages(content, places)
        super().__init__(
            config, queue_name, use_correlation_id, messages, passive=passive, queue_arguments=queue_arguments
        )
        self.messages = messages

    @property
    def produced(self) -> Produced:
        return Produced(side_tags=dead_letter_tags(self.messages))

    def connect(self) -> QueueConnection:
        return _Consumer(self)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self, context)


class _Consumer(Consumer):
    """Pulls whole messages."""

    def kept(self, method: Any, properties: Any, body: bytes) -> Any:
        headers = {name: _text(value) for name, value in (properties.headers or {}).items()}
        message = QueueMessage(
            body,
            method.exchange,
            method.routing_key,
            properties.correlation_id,
            properties.message_id,
            properties.timestamp,
            headers,
            method.redelivered,
        )
        return tuple(message)


class _Reader(QueueReader):
    """Reads messages that are kept, as tuples."""

    def __init__(self, source: TableQueue, context: ReaderContext) -> None:
        super().__init__(source, context.spool)
        self._messages, self._queue = source.messages, source.queue_name
        self._bytes = context.metrics.counter("numBytesIn")
        dead = dead_letter_tags(self._messages)
        self._dead = context.metrics.counter("numRecordsInErrors") if dead else None

    def read(self, split: QueueSplit) -> Iterator[Batch]:
        for batch in super().read(split):
            messages = [QueueMessage._make(kept) for kept in batch.records]
            self._bytes.inc(sum([len(message.data) for message in messages]))
            found = self._messages.rows_of(messages, self._queue)
            if self._dead is not None:
                self._dead.inc(dead_letters_in(found))
            yield Batch([row for row in found if row is not None])


def _text(value: Any) -> str | None:
    """A value of a header as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


class Properties:
    """Gives the properties of a row's message.

    Args:
        columns: Key of metadata -> index of its column.
    """

    def __init__(self, columns: Mapping[str, int]) -> None:
        self._columns = dict(columns)

    def __call__(self, row: Sequence[Any]) -> Any:
        from pika import BasicProperties

        found = {key: row[index] for key, index in self._columns.items() if row[index] is not None}
        at, headers = found.get("timestamp"), found.get("headers")
        return BasicProperties(
            correlation_id=found.get("correlation-id"),
            message_id=found.get("message-id"),
            timestamp=None if at is None else at // _US,
            headers=None if headers is None else dict(headers),
        )
