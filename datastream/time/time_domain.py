"""The two clocks of a stream."""

from __future__ import annotations

from enum import Enum

from datastream.stored_types import stored_as


@stored_as("time_domain")
class TimeDomain(Enum):
    """Whether a timer goes by the records' timestamps or by the machine's clock."""

    EVENT_TIME = 0
    PROCESSING_TIME = 1
