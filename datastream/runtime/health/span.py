"""How long something has been so."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.config.job_warnings import WarningSettings


@dataclass
class Span:
    """A stretch of a job's life.

    Attributes:
        since: When it began, in s.
        epochs: Epochs with records since.
        records: Records since.
    """

    since: float
    epochs: int = 0
    records: int = 0

    def add(self, records: int) -> None:
        """Add an epoch's records."""
        if records:
            self.epochs += 1
            self.records += records

    def long_enough(self, settings: WarningSettings, now: float, least_ms: float = 0) -> bool:
        """Whether it is time to warn.

        Args:
            settings: When that is.
            now: The time in s.
            least_ms: Not before this number of ms.
        """
        return (
            (now - self.since) * 1000 >= max(settings.after_ms, least_ms)
            and self.epochs >= settings.epochs
            and self.records >= settings.records
        )


def seconds(value: float) -> str:
    """A length of time for people.

    Args:
        value: In s.
    """
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if value >= 2 * size:
            return f"{value / size:.1f} {unit}"
    return f"{value:.3g} s" if value < 100 else f"{value:.0f} s"
