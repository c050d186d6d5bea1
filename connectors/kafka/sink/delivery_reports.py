"""What became of the messages that a producer took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from datastream.errors import cut

from ..client.errors import KafkaFailure, explain, is_final, name_of

_TOO_LARGE = "MSG_SIZE_TOO_LARGE"
_CONSEQUENCES = ("_PURGE_QUEUE", "_PURGE_INFLIGHT", "_STATE")


@dataclass(frozen=True)
class Undelivered:
    """A message that no broker took.

    Attributes:
        error: Why, a KafkaError.
        topic: Where it should have gone.
        partition: Its partition; below 0: none was chosen yet.
        key: The beginning of its key's repr, or None where it has none.
        size: Bytes of its value.
    """

    error: Any
    topic: str
    partition: int
    key: str | None
    size: int

    def __str__(self) -> str:
        place = f"topic {self.topic!r}" + (f", partition {self.partition}" if self.partition >= 0 else "")
        return f"a record to {place} ({'no key' if self.key is None else f'key {self.key}'}, {self.size:,} bytes)"


class DeliveryReports:
    """Counts failed deliveries of a producer, and keeps the first. librdkafka calls its methods.

    Args:
        properties: Of the producer; for error texts.

    Attributes:
        failed: Messages that no broker took.
    """

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self._properties = properties
        self.failed = 0
        self._retries = self._told_retries = 0
        self._first: Undelivered | None = None
        self._connection: Any = None

    def on_delivery(self, error: Any, message: Any) -> None:
        """Called for each message that failed."""
        if error is not None:
            topic, partition = message.topic(), message.partition()
            self.add(error, topic, -1 if partition is None else partition, message.key(), message.value())

    def on_statistics(self, text: str) -> None:
        """Called every few seconds with what the client has counted since it began."""
        self._retries = sum(broker["txretries"] for broker in orjson.loads(text)["brokers"].values())

    def new_retries(self) -> int:
        """How many requests the client has sent again, since this was asked."""
        before, self._told_retries = self._told_retries, self._retries
        return self._retries - before

    def on_error(self, error: Any) -> None:
        """Called for what concerns the client as a whole, such as a wrong password or brokers that are away."""
        if self._connection is None or not is_final(self._connection):
            self._connection = error

    def add(self, error: Any, topic: str, partition: int, key: bytes | None, value: bytes | None) -> None:
        """Count a message that failed."""
        self.failed += 1
        # These have no reason of their own: the transaction has failed, whose error says why.
        if name_of(error) in _CONSEQUENCES:
            return
        size = 0 if value is None else len(value)
        # A message that is too large takes those down that were sent along with it.
        if self._first is None or (name_of(error) == _TOO_LARGE and size > self._first.size):
            self._first = Undelivered(error, topic, partition, None if key is None else cut(key), size)

    def refused(self) -> KafkaFailure | None:
        """An error of the connection that will not pass, such as a wrong password."""
        if self._connection is not None and is_final(self._connection):
            return KafkaFailure(explain(self._connection, "write", self._properties))
        return None

    @property
    def broken(self) -> bool:
        """Whether the producer is of no use any more."""
        return self._connection is not None and bool(self._connection.fatal())

    def failure(self) -> KafkaFailure | None:
        """What failed, if anything did."""
        if self._first is None or self.broken:
            return self.refused()
        others = f" and {self.failed - 1:,} more" if self.failed > 1 else ""
        text = explain(self._first.error, f"write {self._first}{others}", self._properties)
        if self._connection is not None and name_of(self._first.error) == "_MSG_TIMED_OUT":
            text += f"; the connection's last error: {explain(self._connection, 'connect', self._properties)}"
        return KafkaFailure(text)

    def check(self) -> None:
        """Raise what failed.

        Raises:
            KafkaFailure: a delivery failed, or cannot succeed.
        """
        failure = self.failure()
        if failure is not None:
            raise failure

    def clear(self) -> None:
        """Forget failed deliveries."""
        self.failed, self._first = 0, None
