"""What the server reports by its reason codes, as errors of ours: those that pass by waiting are ConnectionErrors."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError

from .connection import MqttConnection

NOT_AUTHORIZED, QUOTA_EXCEEDED = 135, 151

#: Reason codes that something has to be changed for -> what.
_REMEDIES = {
    129: "the client sent what the server cannot read",
    130: "the client broke a rule of the protocol",
    132: "the server does not speak MQTT 5; use one that does",
    133: "choose another client id",
    134: "check the user and the password",
    NOT_AUTHORIZED: "check the user and the password, and what the server allows this user",
    138: "the server has banned this client",
    140: "the server wants another way to log in; only a user with a password is supported",
    143: "correct the filter of the topics",
    144: "correct the topic, or have the server allow it",
    149: "make the message smaller, or raise the server's limit",
    153: "the server wants another format of payloads",
    154: "the server keeps no messages: write without retain",
    155: "use a lower QoS",
    156: "use another server: this one says that it has moved",
    157: "use another server: this one says that it has moved",
    158: "the server has no shared subscriptions: use filters without $share",
    161: "the server has no subscription identifiers",
    162: "the server takes no wildcards: name the topics",
}


def failure(reason: Any, connection: MqttConnection, what: str, properties: Any = None) -> Exception:
    """The error to raise for a reason code.

    Args:
        reason: paho's ReasonCode.
        connection: The server.
        what: What it refused, such as ``the user 'a'``.
        properties: What came with it; its reason string is shown.

    Returns:
        A ConnectionError if it may pass; a ValidationError if something has to be changed.
    """
    words = getattr(properties, "ReasonString", None)
    told = f"{reason} (reason code {reason.value}{f': {words}' if words else ''})"
    remedy = _REMEDIES.get(reason.value)
    if remedy is not None:
        return ValidationError(f"{connection} refuses {what}: {told}; {remedy}")
    return ConnectionError(f"{connection} refuses {what} for now: {told}")
