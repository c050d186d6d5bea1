"""The service that provides the time to functions and sets their timers."""

from __future__ import annotations

from abc import ABC, abstractmethod

from datastream.missing_names import AdvisedNames


class TimerService(AdvisedNames, ABC):
    """Provides the time and keeps timers. All times are in ms since 1970-01-01T00:00:00Z.

    A timer belongs to the current key; setting it twice for one time makes one timer.
    """

    @abstractmethod
    def current_processing_time(self) -> int:
        """Return the time of the machine's clock."""

    @abstractmethod
    def current_watermark(self) -> int:
        """Return the current watermark of event time."""

    @abstractmethod
    def register_processing_time_timer(self, timestamp: int) -> None:
        """Set a timer that fires when the machine's clock passes `timestamp`."""

    @abstractmethod
    def register_event_time_timer(self, timestamp: int) -> None:
        """Set a timer that fires when the watermark passes `timestamp`."""

    @abstractmethod
    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Take back the processing-time timer of `timestamp`, if there is one."""

    @abstractmethod
    def delete_event_time_timer(self, timestamp: int) -> None:
        """Take back the event-time timer of `timestamp`, if there is one."""
