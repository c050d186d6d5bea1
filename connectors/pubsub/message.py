"""Messages, and how they become records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from datastream.errors import FormatError, cut
from datastream.formats.contents import reason_of
from datastream.formats.schema import ContentSchema, ReadingSchema


class PubsubMessage(NamedTuple):
    """A message.

    Attributes:
        data: Its content; may be empty.
        attributes: Its attributes.
        message_id: Its id, which no other message of the topic has.
        publish_time: When the service took it, in ms since 1970.
        ordering_key: Its ordering key; empty: it has none.
    """

    data: bytes
    attributes: Mapping[str, str]
    message_id: str
    publish_time: int
    ordering_key: str


class PubSubDeserializationSchema(ReadingSchema, ABC):
    """Makes a record of a message: with its attributes, say."""

    @abstractmethod
    def deserialize(self, message: PubsubMessage) -> Any:
        """The record of a message, or None: no record."""

    def records_of(self, messages: Sequence[PubsubMessage], subscription: str) -> list[Any]:
        """The records of messages, one for each, or None. Sources call this.

        Raises:
            FormatError: A message cannot be read; names it.
        """
        return [self._record(message, subscription) for message in messages]

    def _record(self, message: PubsubMessage, subscription: str) -> Any:
        try:
            return self.deserialize(message)
        except Exception as error:  # a user's function may raise anything
            raise unreadable(error, message, subscription) from error


class DataOnly(ContentSchema, PubSubDeserializationSchema):
    """Makes records of the content of messages alone.

    Args:
        schema: How.
    """

    def deserialize(self, message: PubsubMessage) -> Any:
        return self._schema.deserialize(message.data)

    def records_of(self, messages: Sequence[PubsubMessage], subscription: str) -> list[Any]:
        found = self._at_once([message.data for message in messages], lambda _: (subscription, None, None))
        return super().records_of(messages, subscription) if found is None else found


def unreadable(error: Exception, message: PubsubMessage, subscription: str) -> FormatError:
    """The error of a message that cannot be read."""
    return FormatError(
        f"the message {message.message_id} of the subscription {subscription!r} cannot be read: "
        f"{reason_of(error)}; its data: {cut(message.data)}; schema.with_dead_letters(tag) would send such messages "
        "to a side output"
    )
