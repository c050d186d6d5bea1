"""From the properties of a Kafka job to the configuration of a librdkafka client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from datastream.environments.secret_values import HIDDEN, hide, is_secret, secrets_of
from datastream.errors import ValidationError, cut

from .java_properties import CHANGED, DROPPED, DROPPED_PREFIXES, ONLY_CONSUMER, ONLY_PRODUCER, OURS, RENAMED
from .java_security import READ, translate_security
from .library import confluent_kafka, consumer_class, share_consumer_class, without_rebootstrap
from .log import ClientLog

Role = Literal["consumer", "producer", "admin", "share consumer"]

_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")


def client_config(properties: Mapping[str, Any], role: Role) -> dict[str, Any]:
    """The configuration for a client of `confluent_kafka`, with a logger.

    Names of Kafka's Java client are translated, or left out where they have no meaning here; all others reach
    librdkafka as they are. What a caller needs for itself it sets in the dict that it gets.

    Args:
        properties: By name. Values are text, numbers or bools; functions for names that end in ``_cb``.
        role: Which client the configuration is for. Properties of the other kinds are left out.

    Raises:
        ValidationError: a value of no such type, no ``bootstrap.servers``, or a JAAS configuration or key store
            that must be converted first. Unknown names are found by `make_client`.
    """
    given = {name: _text(name, value) for name, value in properties.items()}
    if not given.get("bootstrap.servers"):
        raise ValidationError("Kafka: no brokers: call set_bootstrap_servers('host:9092') or set bootstrap.servers")
    other = {"producer": (ONLY_CONSUMER,), "admin": (ONLY_CONSUMER, ONLY_PRODUCER)}.get(role, (ONLY_PRODUCER,))
    config: dict[str, Any] = {}
    for name, value in given.items():
        if name in OURS or name in DROPPED or name in READ or name.startswith(DROPPED_PREFIXES):
            continue
        if name in CHANGED and isinstance(value, str):
            value = _changed(name, value)
        if not (role == "producer" and name == "request.timeout.ms"):  # a producer of librdkafka has that one
            name = RENAMED.get(name, name)
        if not any(pattern.match(name) for pattern in other):
            config[name] = value
    config |= translate_security(given)
    if prefix := given.get("client.id.prefix"):
        config.setdefault("client.id", f"{prefix}-{role}")
    config["logger"] = ClientLog({**given, **config})
    return config


def make_client(config: Mapping[str, Any], role: Role) -> Any:
    """A client of `confluent_kafka`: Consumer, Producer, AdminClient or ShareConsumer.

    Raises:
        ValidationError: librdkafka does not know a property or does not take its value.
    """
    library = confluent_kafka()
    kind: Any
    match role:
        case "producer":
            kind = library.Producer
        case "consumer":
            kind = consumer_class()
        case "admin":
            kind = library.admin.AdminClient
        case "share consumer":
            kind = share_consumer_class()
    try:
        return kind(without_rebootstrap(dict(config)))
    except (library.KafkaException, TypeError, ValueError) as error:
        reason = error.args[0].str() if isinstance(error, library.KafkaException) else str(error)
        raise ValidationError(f"Kafka {role}: {hide(reason, secrets_of(config))}{_hint(reason)}") from None


def flag(properties: Mapping[str, Any], name: str, default: bool) -> bool:
    """A property that is true or false.

    Raises:
        ValidationError: it is neither.
    """
    value = str(properties.get(name, default)).strip().lower()
    if value not in _TRUE + _FALSE:
        raise ValidationError(f"{name}: expected true or false, got {cut(properties[name])}")
    return value in _TRUE


def whole_number(properties: Mapping[str, Any], name: str, default: int) -> int:
    """A property that is a whole number.

    Raises:
        ValidationError: it is none.
    """
    value = properties.get(name, default)
    try:
        return int(str(value).strip())
    except ValueError:
        raise ValidationError(f"{name}: expected a whole number, got {cut(value)}") from None


def _text(name: object, value: Any) -> Any:
    if not isinstance(name, str):
        raise ValidationError(f"Kafka: names of properties are str, got {type(name).__name__} {cut(name)}")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) or (callable(value) and name.endswith("_cb")):
        return value
    if isinstance(value, int | float):
        return str(value)
    shown_value = HIDDEN if is_secret(name) else cut(value)
    raise ValidationError(
        f"Kafka property {name!r}: expected str, int, float or bool, got {type(value).__name__} {shown_value}"
    )


def _changed(name: str, value: str) -> str:
    try:
        return CHANGED[name](value)
    except ValueError:
        raise ValidationError(f"Kafka property {name!r}: expected a number, got {cut(value)}") from None


def _hint(reason: str) -> str:
    if "No such configuration property" in reason:
        return ": neither librdkafka nor Kafka's Java client has it; see librdkafka's CONFIGURATION.md for the names"
    if "GSSAPI" in reason:
        return "; pip install --no-binary confluent-kafka confluent-kafka builds one with Kerberos"
    return ""
