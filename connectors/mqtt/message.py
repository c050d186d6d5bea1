"""A message as it was received."""

from __future__ import annotations

from typing import Any, NamedTuple


class MqttMessage(NamedTuple):
    """A message as it was received.

    Attributes:
        payload: Its content.
        topic: The topic that it was published to.
        qos: The quality of service that it was delivered with: 0 or 1.
        retain: Whether it was there before the subscription.
        user_properties: Names and values, in the order of the sender; a name may occur more than once.
        content_type: What the sender says about the content, such as ``application/json``; None: nothing.
        response_topic: Where the sender wants an answer; None: nowhere.
        correlation_data: What the answer must hold; None: nothing.
    """

    payload: bytes
    topic: str
    qos: int = 0
    retain: bool = False
    user_properties: tuple[tuple[str, str], ...] = ()
    content_type: str | None = None
    response_topic: str | None = None
    correlation_data: bytes | None = None

    @classmethod
    def of(cls, message: Any) -> MqttMessage:
        """The message that paho has received.

        Args:
            message: paho's.
        """
        properties = message.properties
        return cls(
            bytes(message.payload),
            message.topic,
            message.qos,
            bool(message.retain),
            tuple((str(name), str(value)) for name, value in getattr(properties, "UserProperty", ())),
            getattr(properties, "ContentType", None),
            getattr(properties, "ResponseTopic", None),
            getattr(properties, "CorrelationData", None),
        )
