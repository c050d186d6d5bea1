"""A member of a share group, in a worker."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from datastream.io import Message, QueueConnection

from ..client.answer_deadline import AnswerDeadline
from ..client.errors import BrokersAway, KafkaFailure, explain, is_final, is_passing, kafka_error, name_of
from ..client.library import confluent_kafka
from ..client.properties import client_config, make_client

#: Brokers keep a record for its consumer for 15 s or longer (``group.share.min.record.lock.duration.ms``).
_HELD_S = 10.0
_WAIT_S = 0.1
_CONFIRM_S = 30.0
#: librdkafka's own default of the records of a poll.
_LEAST = 500
_ALWAYS = {"share.acknowledgement.mode": "explicit"}
#: The lock of a record has ended, or another member has acknowledged it.
_GONE = "INVALID_RECORD_STATE"


class ShareConnection(QueueConnection):
    """Polls records, and acknowledges them.

    Args:
        topics: Which topics.
        properties: Of the client.
        deadline: How long brokers may be away; default: as the properties say, from now on.
    """

    def __init__(
        self, topics: tuple[str, ...], properties: Mapping[str, Any], deadline: AnswerDeadline | None = None
    ) -> None:
        self._topics, self._properties = topics, properties
        self._library = confluent_kafka()
        self._deadline = deadline or AnswerDeadline(properties)
        self._error: Any = None
        config = client_config(properties, "share consumer") | _ALWAYS | {"error_cb": self._on_error}
        self._config = config
        self._consumer: Any = None
        #: Messages that a poll gave and no pull yet: brokers give whole batches.
        self._left: deque[Any] = deque()
        self._polled_at = 0.0

    def pull(self, most: int) -> list[Message]:
        if self._consumer is None:
            config = {"max.poll.records": str(max(most, _LEAST))} | self._config
            self._consumer = make_client(config, "share consumer")
            self._consumer.subscribe(list(self._topics))
        if not self._left:
            self._polled_at = time.monotonic()
            self._left.extend(self._poll(self._consumer))
        # What another member gets in the end counts as tried, and after some tries brokers drop it.
        count = len(self._left) if self._age() > _HELD_S / 2 else min(most, len(self._left))
        return [_message(self._left.popleft()) for _ in range(count)]

    def held(self, messages: list[Message]) -> list[Message]:
        if self._age() < _HELD_S:
            return messages
        self.close()  # others may have them now, and a member must acknowledge what it has before it polls
        return []

    def acknowledge(self, messages: list[Message]) -> None:
        assert self._consumer is not None
        for message in messages:
            self._consumer.acknowledge_offset(*message.receipt)
        self._commit(self._consumer)

    def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        self._left.clear()
        if consumer is not None:
            with suppress(self._library.KafkaException):  # another thread is within a call
                consumer.close()

    def _age(self) -> float:
        """For how long what was polled is held, in s."""
        return time.monotonic() - self._polled_at

    def _poll(self, consumer: Any) -> list[Any]:
        try:
            polled = consumer.poll(_WAIT_S)
        except self._library.KafkaException as error:
            self._failed(kafka_error(error), error)
            return []
        found = []
        for message in polled:
            if message.error() is not None:
                self._failed(message.error(), None)
            else:
                found.append(message)
        if found:
            self._error = None
            self._deadline.worked()
        elif self._error is not None:
            self._failed(self._error, None)
        return found

    def _commit(self, consumer: Any) -> None:
        doing = f"acknowledge records of {self._what}"
        try:
            found = consumer.commit_sync(_CONFIRM_S)
        except self._library.KafkaException as error:
            reason = kafka_error(error)
            raise BrokersAway(explain(reason, doing, self._properties) if reason else str(error)) from error
        for said in (found or {}).values():
            reason = None if said is None else kafka_error(said) or said
            if reason is not None and name_of(reason) != _GONE:
                kind = BrokersAway if is_passing(reason) else KafkaFailure
                raise kind(explain(reason, doing, self._properties))

    def _failed(self, reason: Any, cause: BaseException | None) -> None:
        if reason is None:
            raise KafkaFailure(f"Kafka: cannot read {self._what}: {cause}") from cause
        self._deadline.failed(f"read {self._what}", reason)

    @property
    def _what(self) -> str:
        return f"topics {', '.join(map(repr, self._topics))} in the share group {self._properties.get('group.id')!r}"

    def _on_error(self, error: Any) -> None:
        if is_final(error) or name_of(error) == "_ALL_BROKERS_DOWN":
            self._error = error


def _message(message: Any) -> Message:
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    kept = (offset, message.timestamp(), message.key(), message.value(), message.headers() or None)
    # A topic that is deleted and made again has the same offsets.
    return Message(f"{topic}/{partition}/{offset}/{kept[1][1]}", (topic, partition, kept), (topic, partition, offset))
