"""Publishes messages and waits for their confirmations, many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.formats.contents import contents_of
from datastream.io import WriterContext

from .connection import Connection
from .connection_config import RMQConnectionConfig
from .publish_options import RMQSinkPublishOptions

if TYPE_CHECKING:
    from pika import BasicProperties

#: No more than these bytes wait for a confirmation.
_WINDOW = 4 << 20
_PERSISTENT = 2


class Target(Protocol):
    """The settings of a sink that its connections need."""

    connection_config: RMQConnectionConfig
    queue_name: str | None
    serialization_schema: SerializationSchema
    publish_options: RMQSinkPublishOptions | None
    passive: bool
    queue_arguments: dict[str, Any]
    confirm_ms: int


class Publisher:
    """A connection that publishes. One that was lost while idle is made again.

    Args:
        target: The settings.
        context: The place.
    """

    def __init__(self, target: Target, context: WriterContext) -> None:
        from pika import BasicProperties

        self._target, self._config = target, target.connection_config
        self._logger = context.logger
        self._bytes = context.metrics.counter("numBytesOut")
        self._schema, self._options = target.serialization_schema, target.publish_options
        self._default = BasicProperties(delivery_mode=_PERSISTENT)
        self._connection = self._connected()

    def publish(self, records: list[Any]) -> Sequence[Any]:
        """Publish records; those that the server refused for now.

        Raises:
            ConnectionError: The server is away, or does not confirm.
            FormatError: A record cannot be written.
            ValidationError: No queue takes a message, or a function of the user's failed.
        """
        if not self._connection.refresh():
            if self._config.automatic_recovery is False:
                self._connection.check()
            self._connection.close()
            self._connection = self._connected()
        bodies = contents_of(self._schema, records, "RMQSink")
        left: list[Any] = []
        begin = 0
        while begin < len(bodies):
            end, size = begin, 0
            while end < len(bodies) and (end == begin or size + len(bodies[end]) <= _WINDOW):
                size += len(bodies[end])
                end += 1
            left += self._publish(records[begin:end], bodies[begin:end])
            self._bytes.inc(size)
            begin = end
        return left

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _connected(self) -> Connection:
        target = self._target
        connection = Connection(self._config, target.queue_name)
        try:
            if target.queue_name is not None:
                connection.declare_queue(target.queue_name, target.passive, target.queue_arguments)
            connection.call(connection.channel.confirm_delivery, self._on_confirmation)
            connection.channel.add_on_return_callback(self._on_return)
        except BaseException:
            connection.close()
            raise
        self._published, self._first = 0, 1
        self._open: set[int] = set()
        self._refused: list[int] = []
        self._returned: tuple[Any, bytes] | None = None
        return connection

    def _publish(self, records: list[Any], bodies: list[bytes]) -> list[Any]:
        first = self._published + 1
        self._published += len(bodies)
        self._open.update(range(first, self._published + 1))
        publish = self._connection.channel.basic_publish
        if self._options is None:
            queue, properties = self._target.queue_name, self._default
            for body in bodies:
                publish("", queue, body, properties, mandatory=True)
        else:
            for record, body in zip(records, bodies, strict=True):
                exchange, key, properties, mandatory = self._address(self._options, record)
                publish(exchange, key, body, properties, mandatory=mandatory)
        self._wait()
        refused, self._refused = self._refused, []
        return [records[tag - first] for tag in refused]

    def _wait(self) -> None:
        """Wait for the confirmations of all that was published."""
        connection, limit_s = self._connection, self._target.confirm_ms / 1000
        if not connection.wait_until(lambda: not self._open or self._returned is not None, limit_s):
            blocked = connection.blocked
            why = f"it takes none at the moment: {blocked}" if blocked else "it may be overloaded"
            raise ConnectionError(
                f"RabbitMQ at {self._config.address} has not confirmed {len(self._open)} messages within "
                f"{limit_s:.0f} s; {why}"
            )
        if self._returned is not None:
            returned, body = self._returned
            to = (
                f"the exchange {returned.exchange!r} by the key {returned.routing_key!r}"
                if returned.exchange
                else (f"the queue {returned.routing_key!r}")
            )
            raise ValidationError(
                f"RabbitMQ at {self._config.address}: no queue takes the message {cut(body)} to {to} "
                f"({returned.reply_text}); create the queue or its binding"
            )

    def _address(self, options: RMQSinkPublishOptions, record: Any) -> tuple[str, str, BasicProperties, bool]:
        """Where a record goes.

        Raises:
            ValidationError: A function of the user's failed, or returned something else.
        """
        exchange = _of(options.exchange, record, "exchange", str)
        key = _of(options.routing_key, record, "routing_key", str)
        mandatory = _of(options.mandatory, record, "mandatory", bool)
        properties = _of(options.properties, record, "properties", (type(self._default), type(None)))
        if properties is None:
            properties = self._default
        elif properties.delivery_mode is None:
            properties.delivery_mode = _PERSISTENT
        return exchange, key, properties, mandatory

    def _on_confirmation(self, frame: Any) -> None:
        from pika.spec import Basic

        tag, refused = frame.method.delivery_tag, isinstance(frame.method, Basic.Nack)
        tags = range(self._first, tag + 1) if frame.method.multiple else (tag,)
        for one in tags:
            if one in self._open:
                self._open.discard(one)
                if refused:
                    self._refused.append(one)
        if frame.method.multiple:
            self._first = tag + 1

    def _on_return(self, _: Any, method: Any, properties: Any, body: bytes) -> None:
        self._returned = (method, body)


def _of(part: Any, record: Any, name: str, kind: Any) -> Any:
    value = part
    if callable(part):
        try:
            value = part(record)
        except Exception as error:
            raise ValidationError(
                f"RMQSinkPublishOptions: {name} raised {type(error).__name__}: {error}, for the record {cut(record)}"
            ) from error
    if not isinstance(value, kind):
        raise ValidationError(f"RMQSinkPublishOptions: {name} is {cut(value)} for the record {cut(record)}")
    return value
