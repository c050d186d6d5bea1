"""The settings of a sink, and the configuration of its producers that follows: what a guarantee asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.errors import ValidationError

from ..client.properties import client_config, flag, whole_number

#: As long as Java's clients: a message that no broker has taken after this number of ms has failed.
DELIVERY_TIMEOUT_MS = 120_000

#: How long a broker keeps an abandoned transaction open. It must outlast the longest epoch, also one
#: in which the brokers were away: else the transaction is aborted and the job fails, and so again after a restart.
#: Longer than that, it only makes readers of committed data wait behind the open transaction of a job that died and
#: was not started again (a restarted job ends it at once). Brokers allow 15 minutes by default, librdkafka's default of
#: one minute is less than `DELIVERY_TIMEOUT_MS`.
TRANSACTION_TIMEOUT_MS = 300_000

#: As Java's clients.
MAX_REQUEST_BYTES = 1_048_576

_QUEUE_KBYTES = 64 * 1024
_QUEUE_MESSAGES = 500_000
_ALL = ("all", "-1")


@dataclass(frozen=True)
class WriteSettings:
    """How a sink writes.

    Attributes:
        properties: Of the client, as the user gave them.
        guarantee: What is promised.
        prefix: Of transactional ids; None: the job's id.
        log_failures: Failed deliveries are logged and counted only, also where they are waited for.
    """

    properties: Mapping[str, Any] = field(repr=False)
    guarantee: DeliveryGuarantee = DeliveryGuarantee.NONE
    prefix: str | None = None
    log_failures: bool = False


def producer_config(
    properties: Mapping[str, Any], guarantee: DeliveryGuarantee, transactional_id: str | None = None
) -> dict[str, Any]:
    """The configuration of a producer.

    Beyond the user's properties: keys are hashed as by Java's clients (murmur2); at most 64 MB wait to be sent;
    retries neither reorder nor double records (``enable.idempotence``, Java's default too), unless ``acks`` or
    ``enable.idempotence`` say otherwise.

    Args:
        properties: The user's, with Java's or librdkafka's names.
        guarantee: What the sink promises.
        transactional_id: For exactly once.

    Raises:
        ValidationError: a property makes no sense, or contradicts the guarantee.
    """
    if "transactional.id" in properties:
        raise ValidationError(
            "KafkaSink: transactional.id is made from the prefix, the sink and the task: "
            "use set_transactional_id_prefix instead of the property"
        )
    config = client_config(properties, "producer")
    exactly_once = guarantee is DeliveryGuarantee.EXACTLY_ONCE
    acks = str(config.get("acks", config.get("request.required.acks", "all"))).lower()
    if guarantee is not DeliveryGuarantee.NONE and acks == "0":
        raise ValidationError(f"KafkaSink: acks=0 loses records, which {guarantee.name} must not; leave it out")
    idempotent = flag(config, "enable.idempotence", acks in _ALL)
    if exactly_once and not (idempotent and acks in _ALL):
        raise ValidationError("KafkaSink: EXACTLY_ONCE needs acks=all and enable.idempotence=true; leave them out")
    config["enable.idempotence"] = idempotent
    config.setdefault("partitioner", "murmur2_random")
    # librdkafka's 10 s would add to the time that brokers are away; Java's clients wait for a second at most.
    config.setdefault("reconnect.backoff.max.ms", 1_000)
    # A client takes its first connections one after the other with this pause between them: 15 ms instead of 55.
    config.setdefault("reconnect.backoff.ms", 5)
    config.setdefault("queue.buffering.max.messages", _QUEUE_MESSAGES)
    largest = whole_number(config, "message.max.bytes", MAX_REQUEST_BYTES)
    config["message.max.bytes"] = largest
    # A message that is larger than the queue would wait for ever.
    config["queue.buffering.max.kbytes"] = max(
        whole_number(config, "queue.buffering.max.kbytes", _QUEUE_KBYTES), 2 * largest // 1024
    )
    longest = DELIVERY_TIMEOUT_MS
    if exactly_once:
        config["transactional.id"] = transactional_id
        timeout = config["transaction.timeout.ms"] = whole_number(
            config, "transaction.timeout.ms", TRANSACTION_TIMEOUT_MS
        )
        longest = min(longest, timeout)
    if "message.timeout.ms" not in config and "delivery.timeout.ms" not in config:
        config["message.timeout.ms"] = longest
    config["delivery.report.only.error"] = True
    return config


def delivery_seconds(config: Mapping[str, Any]) -> float:
    """How many seconds brokers may be away before a write fails."""
    name = "message.timeout.ms" if "message.timeout.ms" in config else "delivery.timeout.ms"
    return max(whole_number(config, name, DELIVERY_TIMEOUT_MS), 1_000) / 1000
