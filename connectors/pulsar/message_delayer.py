"""When consumers get a message."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import ValidationError, cut
from datastream.time import Duration


@dataclass(frozen=True)
class MessageDelayer:
    """How long brokers keep messages from consumers of shared subscriptions; others get them at once.

    Made by its static methods.
    """

    _delay_ms: int = 0

    @staticmethod
    def never() -> MessageDelayer:
        """Consumers get messages at once."""
        return MessageDelayer()

    @staticmethod
    def fixed(duration: Duration) -> MessageDelayer:
        """Consumers get each message this long after it was sent.

        Raises:
            ValidationError: It is no Duration, or below 1 ms.
        """
        if not isinstance(duration, Duration) or duration.to_millis() < 1:
            raise ValidationError(f"MessageDelayer.fixed: expected a Duration of 1 ms or more, got {cut(duration)}")
        return MessageDelayer(duration.to_millis())


def delay_ms(delayer: MessageDelayer) -> int:
    """The delay, in ms; 0: none."""
    return delayer._delay_ms  # noqa: SLF001 - users see no fields
