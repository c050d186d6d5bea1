"""What the library reports, as errors of ours: those that pass by waiting are ConnectionErrors."""

from __future__ import annotations

from datastream.errors import ValidationError, cut

#: Errors of the library that something has to be changed for -> what.
_REMEDIES = {
    "AuthenticationError": "check the credentials of set_authentication",
    "AuthorizationError": "check the credentials of set_authentication, and what the broker allows this role",
    "ErrorGettingAuthenticationData": "check the credentials of set_authentication",
    "IncompatibleSchema": "the topic has a schema that does not take bytes",
    "InvalidConfiguration": "check the properties that are set",
    "InvalidTopicName": "correct the topic",
    "InvalidUrl": "the service URL must look like 'pulsar://host:6650', or 'pulsar+ssl://host:6651' for TLS",
    "MessageTooBig": "make the message smaller, or raise the broker's maxMessageSize",
    "NotAllowedError": "the broker does not allow it",
    "OperationNotSupported": "the broker or the library cannot do that",
    "SubscriptionNotFound": "create the subscription, or have the broker allow to create it",
    "TopicNotFound": "create the topic, or have the broker allow to create it",
    "TopicTerminated": "the topic takes no more messages",
    "UnsupportedVersionError": "the broker is too old",
}


def failure(error: BaseException | str, service: object, what: str) -> Exception:
    """The error to raise for one of the library's.

    Args:
        error: What the library raised, or the name of its result.
        service: The cluster, whose text names it.
        what: What was used, such as ``the topic 'a'``.

    Returns:
        A ConnectionError if it may pass; a ValidationError if something has to be changed.
    """
    name = error if isinstance(error, str) else type(error).__name__
    words = name if isinstance(error, str) or name in str(error) else f"{name}: {cut(str(error))}"
    remedy = _REMEDIES.get(name)
    if remedy is not None:
        return ValidationError(f"{service} refuses {what}: {words.removeprefix('Pulsar error: ')}; {remedy}")
    return ConnectionError(f"{service} is away, or too busy, for {what}: {words}")
