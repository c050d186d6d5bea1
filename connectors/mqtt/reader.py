"""Reads the messages of topics: pulled, stored, acknowledged, and then made into records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from datastream.errors import FormatError, cut
from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, ReaderContext
from datastream.io.queues import QueueReader, QueueSplit

from .consumer import Consumer
from .message import MqttMessage

if TYPE_CHECKING:
    from .source import MqttSource


class MqttReader(QueueReader):
    """Reads the messages of topics. It has a session for each task that it has read for.

    Args:
        source: The settings.
        context: The place.
    """

    def __init__(self, source: MqttSource, context: ReaderContext) -> None:
        super().__init__(source, context.spool)
        self._mqtt = source
        self._schema = source.deserializer
        self._logger = context.logger
        self._sessions = context.spool.part("sessions")
        self._consumers: dict[int, Consumer] = {}
        self._bytes = context.metrics.counter("numBytesIn")
        tags = self._schema is not None and dead_letter_tags(self._schema)
        self._dead = context.metrics.counter("numRecordsInErrors") if tags else None

    def read(self, split: QueueSplit) -> Iterator[Batch]:
        consumer = self._consumers.get(split.task)
        if consumer is None:
            consumer = self._consumers[split.task] = self._mqtt.consumer(split.task)
        self._connection = consumer
        for messages in super().read(split):
            self._bytes.inc(sum(len(message.payload) for message in messages.records))
            records = self._records(messages.records)
            if self._dead is not None:
                self._dead.inc(dead_letters_in(records))
            yield Batch(records)

    def close(self) -> None:
        super().close()
        consumers, self._consumers = self._consumers, {}
        for consumer in consumers.values():
            consumer.close()

    def _pull(self, split: QueueSplit) -> list[tuple[str | None, Any]]:
        messages = super()._pull(split)
        consumer = self._consumers.get(split.task)
        if consumer is not None and consumer.found_session is not None:
            found, consumer.found_session = consumer.found_session, None
            if self._sessions.read(0, split.task) is None:
                self._sessions.write(0, split.task, b"")
            elif not found:
                self._logger.warning(
                    "%s has forgotten the session %s-%d: messages that came while the job was away are lost; keep it "
                    "longer with set_session_expiry, and see that the server stores sessions",
                    self._mqtt.subscription.connection,
                    self._mqtt.subscription.client_id,
                    split.task,
                )
        return messages

    def _records(self, messages: list[MqttMessage]) -> list[Any]:
        """The records of messages.

        Raises:
            FormatError: One cannot be read; names it.
        """
        if self._schema is None:
            return [self._record(message) for message in messages]
        records: list[Any] = []
        begin = 0
        # A block of one topic at a time: dead letters name it.
        for index in range(1, len(messages) + 1):
            if index == len(messages) or messages[index].topic != messages[begin].topic:
                records += self._block(messages[begin:index])
                begin = index
        return records

    def _block(self, messages: list[MqttMessage]) -> list[Any]:
        assert self._schema is not None
        topic = messages[0].topic
        try:
            return self._schema.deserialize_block(
                [message.payload for message in messages], lambda _: (topic, None, None)
            )
        except Exception as error:  # a user's schema may raise anything
            for message in messages:
                try:
                    self._schema.deserialize(message.payload)
                except Exception as own:
                    raise _unreadable(own, topic, message.payload) from own
            raise _unreadable(error, topic, None) from error

    def _record(self, message: MqttMessage) -> Any:
        function = self._mqtt.record_function
        assert function is not None
        try:
            return function(message)
        except Exception as error:
            raise FormatError(
                f"a message of the topic {message.topic!r} cannot be read: the function of set_record_function raised "
                f"{type(error).__name__}: {error}; its payload: {cut(message.payload)}"
            ) from error


def _unreadable(error: Exception, topic: str, payload: bytes | None) -> FormatError:
    reason = str(error) if isinstance(error, FormatError) else f"{type(error).__name__}: {error}"
    which = "" if payload is None else f"; its payload: {cut(payload)}"
    return FormatError(
        f"a message of the topic {topic!r} cannot be read: {reason}{which}; "
        "schema.with_dead_letters(tag) would send such messages to a side output"
    )
