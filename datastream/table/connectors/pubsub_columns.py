"""Messages of Pub/Sub into tuples of their content and metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.connectors.pubsub import PubSubDeserializationSchema, PubsubMessage

from .messages import MessageRows


class TableMessages(MessageRows[PubsubMessage], PubSubDeserializationSchema):
    """Reads messages as tuples."""

    values = {
        "message-id": lambda message: message.message_id,
        "publish-time": lambda message: message.publish_time * 1000,
        "attributes": lambda message: dict(message.attributes),
        "ordering-key": lambda message: message.ordering_key,
    }

    @staticmethod
    def named(message: PubsubMessage, origin: str) -> str:
        return f"the message {message.message_id} of the subscription {origin!r}"

    def records_of(self, messages: Sequence[PubsubMessage], subscription: str) -> list[Any]:
        return self.rows_of(messages, subscription)

    def deserialize(self, message: PubsubMessage) -> Any:
        return self.row_of(message)
