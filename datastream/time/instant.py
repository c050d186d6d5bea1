"""A point in time to the nanosecond."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.stored_types import stored_as


@stored_as("instant")
@dataclass(frozen=True, order=True, repr=False)
class Instant:
    """A point in time: seconds since 1970-01-01T00:00:00Z, and from there on 0 to 999,999,999 nanoseconds."""

    seconds: int
    nanos: int

    def to_epoch_milli(self) -> int:
        """Return the milliseconds since 1970-01-01T00:00:00Z, rounded down."""
        return self.seconds * 1000 + self.nanos // 1_000_000

    @staticmethod
    def of_epoch_milli(epoch_milli: int) -> Instant:
        """Return the point in time of this number of milliseconds since 1970-01-01T00:00:00Z."""
        seconds, millis = divmod(epoch_milli, 1000)
        return Instant(seconds, millis * 1_000_000)

    def __repr__(self) -> str:
        return f"Instant<{self.seconds}, {self.nanos}>"
