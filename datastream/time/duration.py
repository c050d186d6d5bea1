"""An amount of time to the nanosecond."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.stored_types import stored_as


@stored_as("duration")
@dataclass(frozen=True, order=True)
class Duration:
    """An amount of time; made by the `of_...` methods."""

    nanos: int

    @staticmethod
    def of_days(days: int) -> Duration:
        """Return an amount of days of 24 hours."""
        return Duration.of_hours(days * 24)

    @staticmethod
    def of_hours(hours: int) -> Duration:
        """Return an amount of hours."""
        return Duration.of_minutes(hours * 60)

    @staticmethod
    def of_minutes(minutes: int) -> Duration:
        """Return an amount of minutes."""
        return Duration.of_seconds(minutes * 60)

    @staticmethod
    def of_seconds(seconds: int) -> Duration:
        """Return an amount of seconds."""
        return Duration.of_millis(seconds * 1000)

    @staticmethod
    def of_millis(millis: int) -> Duration:
        """Return an amount of milliseconds."""
        return Duration(millis * 1_000_000)

    @staticmethod
    def of_nanos(nanos: int) -> Duration:
        """Return an amount of nanoseconds."""
        return Duration(nanos)

    def to_millis(self) -> int:
        """Return the amount in whole milliseconds, rounded down."""
        return self.nanos // 1_000_000
