"""When a part file is finished and becomes visible."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import ValidationError


@dataclass(frozen=True)
class RollingPolicy:
    """A part file becomes visible at the first commit at which one of the limits is reached.

    Attributes:
        part_size: Bytes.
        rollover_interval: ms since the part's first records were committed.
        inactivity_interval: ms since its last records were committed.
    """

    part_size: int
    rollover_interval: int
    inactivity_interval: int

    def __post_init__(self) -> None:
        for name in ("part_size", "rollover_interval", "inactivity_interval"):
            if getattr(self, name) <= 0:
                raise ValidationError(f"RollingPolicy: {name} must be positive, got {getattr(self, name)}")

    def should_roll(self, size: int, age_ms: int, idle_ms: int) -> bool:
        """Whether a part of that size (bytes), age and idle time (ms) is finished."""
        return size >= self.part_size or age_ms >= self.rollover_interval or idle_ms >= self.inactivity_interval

    @staticmethod
    def default_rolling_policy(
        part_size: int = 1024 * 1024 * 128,
        rollover_interval: int = 60 * 1000,
        inactivity_interval: int = 60 * 1000,
    ) -> RollingPolicy:
        """Part files of 128 MB, or of one minute, whichever comes first.

        Args:
            part_size: Bytes.
            rollover_interval: ms.
            inactivity_interval: ms.

        Raises:
            ValidationError: if one of them is not positive.
        """
        return DefaultRollingPolicy(part_size, rollover_interval, inactivity_interval)

    @staticmethod
    def on_checkpoint_rolling_policy() -> RollingPolicy:
        """Every epoch's records become visible with its commit."""
        return OnCheckpointRollingPolicy(1, 1, 1)


@dataclass(frozen=True)
class DefaultRollingPolicy(RollingPolicy):
    """What `RollingPolicy.default_rolling_policy` returns."""


@dataclass(frozen=True)
class OnCheckpointRollingPolicy(RollingPolicy):
    """See `RollingPolicy.on_checkpoint_rolling_policy`; the limits have no meaning."""

    def should_roll(self, size: int, age_ms: int, idle_ms: int) -> bool:
        return True
