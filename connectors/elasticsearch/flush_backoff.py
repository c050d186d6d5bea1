"""How a bulk request is tried again, by Flink's names."""

from __future__ import annotations

from enum import Enum

from datastream.io import Backoff

#: Longer than anyone sets: Flink's exponential pauses have no limit.
_LONGEST_MS = 3_600_000


class FlushBackoffType(Enum):
    """Whether the sink tries again what Elasticsearch had no room for, and after which pauses.

    Attributes:
        CONSTANT: After every failure the same pause, until the retries are used up.
        EXPONENTIAL: A pause that doubles from retry to retry.
        NONE: It does not try again, and the job fails.
    """

    CONSTANT = 0
    EXPONENTIAL = 1
    NONE = 2

    def backoff(self, max_retries: int, delay_millis: int) -> Backoff:
        """The pauses of this kind."""
        if self is FlushBackoffType.NONE:
            return Backoff(0)
        factor = 1.0 if self is FlushBackoffType.CONSTANT else 2.0
        return Backoff(max_retries, delay_millis, factor, max(_LONGEST_MS, delay_millis), 0.0)
