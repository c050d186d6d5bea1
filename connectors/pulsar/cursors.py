"""Where reading starts and where it stops: `StartCursor` and `StopCursor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from datastream.errors import ValidationError, cut

StartKind = Literal["earliest", "latest", "message_id", "publish_time"]
StopKind = Literal["never", "latest", "message_id", "publish_time", "event_time"]


@dataclass(frozen=True)
class StartCursor:
    """Where a new job starts in each partition; a job with a checkpoint goes on where it was.

    Made by its static methods.
    """

    _kind: StartKind
    _value: int | bytes = 0
    _inclusive: bool = True

    @staticmethod
    def default_start_cursor() -> StartCursor:
        """The earliest message."""
        return StartCursor.earliest()

    @staticmethod
    def earliest() -> StartCursor:
        """The oldest message that the topic has."""
        return StartCursor("earliest")

    @staticmethod
    def latest() -> StartCursor:
        """Behind the last message that is there when the job starts."""
        return StartCursor("latest")

    @staticmethod
    def from_message_id(message_id: bytes, inclusive: bool = True) -> StartCursor:
        """A message, in all partitions.

        Args:
            message_id: What ``serialize()`` of the library's ``MessageId`` returns.
            inclusive: Whether the message itself is read.

        Raises:
            ValidationError: It is not bytes.
        """
        return StartCursor("message_id", _checked_id(message_id, "StartCursor.from_message_id"), bool(inclusive))

    @staticmethod
    def from_publish_time(timestamp: int) -> StartCursor:
        """The first message that was published at a time or later, in ms since 1970.

        Raises:
            ValidationError: It is no time.
        """
        return StartCursor("publish_time", _checked_time(timestamp, "StartCursor.from_publish_time"))


@dataclass(frozen=True)
class StopCursor:
    """Where reading stops, in each partition. Made by its static methods."""

    _kind: StopKind
    _value: int | bytes = 0
    _inclusive: bool = False

    @staticmethod
    def default_stop_cursor() -> StopCursor:
        """Nowhere."""
        return StopCursor.never()

    @staticmethod
    def never() -> StopCursor:
        """Nowhere."""
        return StopCursor("never")

    @staticmethod
    def latest() -> StopCursor:
        """After the last message that is there when the job starts."""
        return StopCursor("latest", 0, True)

    @staticmethod
    def at_event_time(timestamp: int) -> StopCursor:
        """Before the first message whose event time is this or later, in ms since 1970."""
        return StopCursor("event_time", _checked_time(timestamp, "StopCursor.at_event_time"))

    @staticmethod
    def after_event_time(timestamp: int) -> StopCursor:
        """Before the first message whose event time is later, in ms since 1970."""
        return StopCursor("event_time", _checked_time(timestamp, "StopCursor.after_event_time"), True)

    @staticmethod
    def at_publish_time(timestamp: int) -> StopCursor:
        """Before the first message that was published at this time or later, in ms since 1970."""
        return StopCursor("publish_time", _checked_time(timestamp, "StopCursor.at_publish_time"))

    @staticmethod
    def after_publish_time(timestamp: int) -> StopCursor:
        """Before the first message that was published later, in ms since 1970."""
        return StopCursor("publish_time", _checked_time(timestamp, "StopCursor.after_publish_time"), True)

    @staticmethod
    def at_message_id(message_id: bytes) -> StopCursor:
        """Before a message: what ``serialize()`` of the library's ``MessageId`` returns."""
        return StopCursor("message_id", _checked_id(message_id, "StopCursor.at_message_id"))

    @staticmethod
    def after_message_id(message_id: bytes) -> StopCursor:
        """After a message: what ``serialize()`` of the library's ``MessageId`` returns."""
        return StopCursor("message_id", _checked_id(message_id, "StopCursor.after_message_id"), True)


@dataclass(frozen=True)
class Limit:
    """Where reading a partition stops.

    Attributes:
        kind: What of a message is compared.
        value: A time in ms, or a message's position.
        inclusive: Whether messages of exactly this value are read.
    """

    kind: StopKind
    value: int | list[int]
    inclusive: bool

    def passed(self, value: int | list[int]) -> bool:
        """Whether a message of a value, of the same kind, lies behind it."""
        return value > self.value if self.inclusive else value >= self.value  # type: ignore[operator]


def start_of(cursor: StartCursor) -> tuple[StartKind, int | bytes, bool]:
    """The kind of a cursor, its value, and whether that is read."""
    return cursor._kind, cursor._value, cursor._inclusive  # noqa: SLF001 - users see no fields


def stop_of(cursor: StopCursor) -> tuple[StopKind, int | bytes, bool]:
    """The kind of a cursor, its value, and whether that is read."""
    return cursor._kind, cursor._value, cursor._inclusive  # noqa: SLF001


def _checked_time(timestamp: int, call: str) -> int:
    if not isinstance(timestamp, int) or isinstance(timestamp, bool) or timestamp < 0:
        raise ValidationError(f"{call}: expected milliseconds since 1970, got {cut(timestamp)}")
    return timestamp


def _checked_id(message_id: bytes, call: str) -> bytes:
    if not isinstance(message_id, (bytes, bytearray)) or not message_id:
        raise ValidationError(
            f"{call}: expected the bytes that serialize() of a pulsar.MessageId returns, got {cut(message_id)}"
        )
    return bytes(message_id)
