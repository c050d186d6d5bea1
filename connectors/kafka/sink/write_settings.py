"""The settings of a Kafka sink."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.delivery_guarantee import DeliveryGuarantee


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
