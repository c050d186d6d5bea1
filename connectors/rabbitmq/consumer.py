"""Pulls messages out of a queue, by a consumer that the server sends messages ahead to."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Protocol

from datastream.errors import ValidationError, cut
from datastream.io import Message, QueueConnection

from .connection import Connection
from .connection_config import RMQConnectionConfig

#: Messages that come one after the other are no further apart.
_PAUSE_S = 0.01
_LEAST_PREFETCH, _MOST_PREFETCH = 1000, 65_535


class Queue(Protocol):
    """The settings of a source that its connections need."""

    connection_config: RMQConnectionConfig
    queue_name: str
    use_correlation_id: bool
    passive: bool
    queue_arguments: dict[str, Any]
    wait_ms: int


class Consumer(QueueConnection):
    """A connection with a consumer. One that was lost is made again at the next pull.

    Args:
        queue: The settings.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._config = queue.connection_config
        self._with_ids = queue.use_correlation_id
        self._waiting: deque[Message] = deque()
        self._cancelled = False
        self._prefetch = 0
        self._tag: str | None = None
        self._connection = self._connected()

    def pull(self, most: int) -> list[Message]:
        if not self._connection.refresh():
            if self._config.automatic_recovery is False:
                self._connection.check()
            self._connection.close()
            self._connection = self._connected()
        self._consume(most)
        waiting, wait_s = self._waiting, self._queue.wait_ms / 1000
        wanted = min(most, self._prefetch) if self._prefetch else most
        self._connection.wait_until(lambda: bool(waiting) or self._cancelled, wait_s)
        deadline, count = time.monotonic() + wait_s, 0
        while count < len(waiting) < wanted and time.monotonic() < deadline:  # more come as long as some do
            count = len(waiting)
            self._connection.wait_until(lambda: len(waiting) >= wanted, _PAUSE_S)
        if self._cancelled and not waiting:
            self.close()
            raise ValidationError(
                f"RabbitMQ at {self._config.address}: the queue {self._queue.queue_name!r} was deleted while it was "
                "read; a restart declares it again"
            )
        pulled = [waiting.popleft() for _ in range(min(most, len(waiting)))]
        if self._with_ids:
            for message in pulled:
                if message.id is None:
                    raise ValidationError(
                        f"RabbitMQ at {self._config.address}: a message of the queue {self._queue.queue_name!r} has no "
                        f"correlation_id: {cut(message.body)}; have its sender set one, or take it out, or "
                        "give use_correlation_id=False, which promises at least once"
                    )
        return pulled

    def acknowledge(self, messages: list[Message]) -> None:
        self._connection.check()
        channel = self._connection.channel
        # Messages are delivered and pulled in the order of their tags, so the last one stands for all.
        channel.basic_ack(messages[-1].receipt, multiple=True)
        # A server answers in order: so it has taken the acknowledgement.
        self._connection.call(channel.queue_declare, self._queue.queue_name, passive=True)

    def kept(self, method: Any, properties: Any, body: bytes) -> Any:
        """What is kept of a message, as plain data. Default: its body.

        Args:
            method: pika's ``Basic.Deliver``.
            properties: pika's ``BasicProperties``.
            body: Its body.
        """
        return body

    def close(self) -> None:
        self._connection.close()

    def _connected(self) -> Connection:
        connection = Connection(self._config, self._queue.queue_name)
        try:
            connection.declare_queue(self._queue.queue_name, self._queue.passive, self._queue.queue_arguments)
            connection.channel.add_on_cancel_callback(self._on_cancel)
        except BaseException:
            connection.close()
            raise
        self._waiting.clear()
        self._cancelled, self._tag, self._prefetch = False, None, 0
        return connection

    def _consume(self, most: int) -> None:
        """Consume, with room for an epoch's share and the next one's."""
        set_by_user = self._config.prefetch_count
        if set_by_user is not None:
            wanted = set_by_user
        elif most <= self._prefetch:
            wanted = self._prefetch
        else:
            wanted = min(max(2 * most, _LEAST_PREFETCH), _MOST_PREFETCH)
        if self._tag is not None and wanted == self._prefetch:
            return
        channel = self._connection.channel
        if self._tag is not None:
            self._connection.call(channel.basic_cancel, self._tag)
        self._connection.call(channel.basic_qos, prefetch_count=wanted)
        started = self._connection.call(channel.basic_consume, self._queue.queue_name, self._on_message)
        self._tag, self._prefetch = started.consumer_tag, wanted

    def _on_message(self, _: Any, method: Any, properties: Any, body: bytes) -> None:
        kept = self.kept(method, properties, body)
        self._waiting.append(Message(properties.correlation_id if self._with_ids else None, kept, method.delivery_tag))

    def _on_cancel(self, _: Any) -> None:
        self._cancelled = True
