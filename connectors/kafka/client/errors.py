"""What an error of a Kafka client means for a person, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.environments.secret_values import hide, secrets_of
from datastream.errors import DataStreamError

from .library import confluent_kafka

_REACH = "check the address, that the brokers run, and that security.protocol fits their listener"

_TAKEN_OVER = (
    "another producer took over the transactional id: only one job may use a prefix. Or an epoch took longer than "
    "transaction.timeout.ms: raise that, or make epochs shorter (datastream.epoch.max-records)"
)
_FUTURE = (
    "brokers refuse records whose timestamp lies too far ahead of their clock: set the topic's "
    "message.timestamp.after.max.ms higher, or its message.timestamp.type to LogAppendTime"
)

_ADVICE: dict[str, str] = {
    "_ALL_BROKERS_DOWN": _REACH,
    "_TRANSPORT": _REACH,
    "_TIMED_OUT": _REACH,
    "_RESOLVE": "check the host name in bootstrap.servers",
    "_SSL": "check security.protocol, ssl.ca.location and the certificates",
    "_AUTHENTICATION": "check sasl.mechanism, sasl.username and sasl.password",
    "SASL_AUTHENTICATION_FAILED": "check sasl.mechanism, sasl.username and sasl.password",
    "UNSUPPORTED_SASL_MECHANISM": "check sasl.mechanism: the broker does not offer it",
    "TOPIC_AUTHORIZATION_FAILED": "grant the user READ (source) or WRITE (sink) and DESCRIBE on the topic by an ACL",
    "GROUP_AUTHORIZATION_FAILED": "grant the user READ on the consumer group by an ACL",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": "grant the user WRITE and DESCRIBE on the transactional id by an ACL",
    "CLUSTER_AUTHORIZATION_FAILED": "grant the user IDEMPOTENT_WRITE on the cluster by an ACL",
    "UNKNOWN_MEMBER_ID": "the consumer group has members elsewhere: give the job a group of its own",
    "UNKNOWN_TOPIC_OR_PART": "create the topic, or check its name and the number of its partitions",
    "_NOENT": "check that the topic exists and that its partitions have leaders",
    "_UNKNOWN_TOPIC": "create the topic, or check its name",
    "_UNKNOWN_PARTITION": "check the number of the topic's partitions",
    "MSG_SIZE_TOO_LARGE": "raise max.request.size of the producer and max.message.bytes of the topic",
    "TOPIC_EXCEPTION": "check the name of the topic: letters, digits, '.', '_' and '-', at most 249",
    "_FENCED": _TAKEN_OVER,
    "PRODUCER_FENCED": _TAKEN_OVER,
    "INVALID_PRODUCER_EPOCH": _TAKEN_OVER,
    "INVALID_TRANSACTION_TIMEOUT": "lower transaction.timeout.ms, or raise the brokers' transaction.max.timeout.ms",
    "INVALID_TIMESTAMP": _FUTURE,
    "INVALID_RECORD": f"the topic may be compacted, and the record have no key; or {_FUTURE}",
    "OFFSET_OUT_OF_RANGE": "the records have expired, or the topic was made anew",
}

#: Waiting does not help: a person has to change something first.
_FINAL = frozenset(
    {
        "_AUTHENTICATION",
        "SASL_AUTHENTICATION_FAILED",
        "UNSUPPORTED_SASL_MECHANISM",
        "ILLEGAL_SASL_STATE",
        "TOPIC_AUTHORIZATION_FAILED",
        "GROUP_AUTHORIZATION_FAILED",
        "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        "CLUSTER_AUTHORIZATION_FAILED",
        "TOPIC_EXCEPTION",
        "_SSL",
        "_INVALID_ARG",
        "OFFSET_OUT_OF_RANGE",
        "UNSUPPORTED_VERSION",
        "_UNSUPPORTED_FEATURE",
    }
)

_PASSING = frozenset(
    {
        "_ALL_BROKERS_DOWN",
        "_TRANSPORT",
        "_TIMED_OUT",
        "_TIMED_OUT_QUEUE",
        "_NOENT",  # a partition without a leader, or of no topic that is known
        "_RESOLVE",
        "_WAIT_COORD",
        "_RETRY",
        "LEADER_NOT_AVAILABLE",
        "NOT_LEADER_FOR_PARTITION",
        "REPLICA_NOT_AVAILABLE",
        "BROKER_NOT_AVAILABLE",
        "REQUEST_TIMED_OUT",
        "NETWORK_EXCEPTION",
        "COORDINATOR_LOAD_IN_PROGRESS",
        "COORDINATOR_NOT_AVAILABLE",
        "NOT_COORDINATOR",
        "FENCED_LEADER_EPOCH",
        "UNKNOWN_LEADER_EPOCH",
        "OFFSET_NOT_AVAILABLE",
        "UNSTABLE_OFFSET_COMMIT",
        "KAFKA_STORAGE_ERROR",
        "UNKNOWN_TOPIC_OR_PART",  # also of topics that brokers which have just started do not know yet
        "_UNKNOWN_TOPIC",
        "_UNKNOWN_PARTITION",
    }
)


class KafkaFailure(DataStreamError):
    """Kafka refused something, or could not be reached for too long."""


class BrokersAway(KafkaFailure, ConnectionError):
    """No broker could be reached for too long. That may pass, unlike a wrong password or a missing topic."""


class DataLoss(KafkaFailure):
    """Records that a job still has to read are gone."""

    lasting = True


def name_of(error: Any) -> str:
    """The name of a KafkaError's code, such as ``UNKNOWN_TOPIC_OR_PART``."""
    return str(error.name())


def kafka_error(exception: BaseException) -> Any | None:
    """The KafkaError inside an exception of the library, or None."""
    if isinstance(exception, confluent_kafka().KafkaException) and exception.args:
        return exception.args[0]
    return None


def is_final(error: Any) -> bool:
    """Whether a KafkaError will not pass: wrong password, missing right, certificate and the like."""
    return (name_of(error) in _FINAL and not _was_cut_off(error)) or bool(error.fatal())


def is_passing(error: Any) -> bool:
    """Whether a KafkaError means that brokers are away or busy, so that trying again may help."""
    return name_of(error) in _PASSING or (not is_final(error) and (bool(error.retriable()) or _was_cut_off(error)))


def _was_cut_off(error: Any) -> bool:
    # A broker that ends in the middle of a handshake is told as a failed handshake.
    said = str(error.str()).lower()
    return any(words in said for words in ("disconnected", "transport failure", "connection reset", "timed out"))


def explain(error: Any, doing: str, properties: Mapping[str, Any]) -> str:
    """One line on a KafkaError: what failed, why, at which brokers, and what to do.

    Args:
        error: The KafkaError.
        doing: What was tried, such as ``read topic 'clicks'``.
        properties: The client's; names the brokers, and their secrets are hidden.
    """
    name = name_of(error)
    advice = _ADVICE.get(name)
    said = hide(str(error.str()), secrets_of(properties))
    text = f"Kafka: cannot {doing} at {properties.get('bootstrap.servers')}: {name}: {said}"
    return f"{text}; {advice}" if advice else text
