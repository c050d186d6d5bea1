"""Where a message goes, and what it carries besides its body. The names are those of Flink in Java."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pika import BasicProperties


@dataclass(frozen=True)
class RMQSinkPublishOptions:
    """Where messages go. Each part is a value, or a function of the record.

    Attributes:
        routing_key: The key by which the exchange chooses queues; of the default exchange the name of the queue.
        exchange: Name of the exchange, which must be there. Default: the default exchange.
        properties: pika's ``BasicProperties``. A message without ``delivery_mode`` is persistent.
        mandatory: Whether a message that no queue takes fails the job. If not, it is dropped. Default: it fails.
    """

    routing_key: str | Callable[[Any], str]
    exchange: str | Callable[[Any], str] = ""
    properties: BasicProperties | Callable[[Any], BasicProperties | None] | None = None
    mandatory: bool | Callable[[Any], bool] = True
