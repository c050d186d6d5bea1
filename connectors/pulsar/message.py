"""A message with all that it carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PulsarMessage:
    """A message.

    Attributes:
        data: Its content.
        topic: The partition that it is from, such as ``persistent://public/default/orders-partition-0``.
        message_id: What ``serialize()`` of the library's ``MessageId`` returns.
        publish_time: When it was published, in ms since 1970.
        event_time: When it happened, in ms since 1970; None: its sender did not say.
        key: Its key; None: it has none.
        properties: Its properties.
        producer_name: The producer that published it.
    """

    data: bytes
    topic: str
    message_id: bytes
    publish_time: int
    event_time: int | None
    key: str | None
    properties: Mapping[str, str]
    producer_name: str

    @staticmethod
    def of(message: Any, topic: str) -> PulsarMessage:
        """The message of the library's.

        Args:
            message: That one.
            topic: The partition.
        """
        return PulsarMessage(
            message.data(),
            topic,
            message.message_id().serialize(),
            message.publish_timestamp(),
            message.event_timestamp() or None,
            message.partition_key() or None,
            message.properties(),
            message.producer_name(),
        )
