"""What a Kafka sink was told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.delivery_guarantee import DeliveryGuarantee

from ..client.secret_values import fingerprint


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

    def pool_key(self, name: str) -> str:
        """What a producer is kept under between epochs.

        Args:
            name: The sink's uid, or the transactional id: no two writers share a producer at the same time.
        """
        plain = {n: v if isinstance(v, str) else repr(v) for n, v in self.properties.items()}
        return f"{self.guarantee.name} {name} {fingerprint(plain)}"
