"""How often a record reaches an outside system."""

from __future__ import annotations

from enum import Enum


class DeliveryGuarantee(Enum):
    """What a sink promises when tasks, processes or brokers fail.

    Attributes:
        EXACTLY_ONCE: Every record is visible once, to readers that heed transactions.
        AT_LEAST_ONCE: No record is lost; after a failure some may be there twice.
        NONE: Records may be lost, and may be there twice.
    """

    EXACTLY_ONCE = 0
    AT_LEAST_ONCE = 1
    NONE = 2
