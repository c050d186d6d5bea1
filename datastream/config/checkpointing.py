"""How often and how a job's state is made durable."""

from __future__ import annotations

import importlib
from enum import Enum
from typing import Any, Protocol, TypeVar

from datastream.config.configuration import Configuration
from datastream.config.modes import CheckpointingMode, ExternalizedCheckpointRetention
from datastream.errors import ValidationError, cut
from datastream.without_effect import warn_once, without_effect

_PREFIX = "execution.checkpointing."
_OLD_RETAINED = "state.checkpoints.num-retained"
_LEAST_MS = 10
_ALL_FAILURES = 2**31 - 1
_BARRIERS = "epochs have no barriers to align"

E = TypeVar("E", bound=Enum)


class _Duration(Protocol):
    """A `datastream.time.Duration`; that package lies above this one."""

    def to_millis(self) -> int: ...


class CheckpointConfig:
    """A view of a `Configuration` under Flink's keys: what is set on one shows on the other.

    Every epoch is a checkpoint on Spark. Settings of Flink's barriers (alignment, concurrency, pauses)
    are kept and returned, without effect.

    Args:
        configuration: The options to show and change; new ones when left out.
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration() if configuration is None else configuration

    def is_checkpointing_enabled(self) -> bool:
        """Whether a checkpoint interval is set."""
        return self.get_checkpoint_interval() > 0

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """Return the mode; default EXACTLY_ONCE. Without an interval it is AT_LEAST_ONCE, as in Flink."""
        if not self.is_checkpointing_enabled():
            return CheckpointingMode.AT_LEAST_ONCE
        return self._choice("mode", CheckpointingMode.EXACTLY_ONCE)

    @without_effect("every epoch is exactly once", warn=False)
    def set_checkpointing_mode(self, checkpointing_mode: CheckpointingMode) -> CheckpointConfig:
        """Set the mode; no effect: every epoch is exactly once."""
        if checkpointing_mode is CheckpointingMode.AT_LEAST_ONCE:
            warn_once("CheckpointingMode.AT_LEAST_ONCE", "every epoch is exactly once")
        return self._set_choice("mode", checkpointing_mode, CheckpointingMode)

    def get_checkpoint_interval(self) -> int:
        """Return the time between two checkpoints in ms; -1 when unset."""
        return self._duration("interval", -1)

    def set_checkpoint_interval(self, checkpoint_interval: int) -> CheckpointConfig:
        """Set the time between two checkpoints in ms, 10 or more: here the least time between two epochs' starts."""
        return self._set_number("interval", checkpoint_interval, least=_LEAST_MS)

    def get_checkpoint_timeout(self) -> int:
        """Return how long a checkpoint may take in ms; default 600,000."""
        return self._duration("timeout", 600_000)

    def set_checkpoint_timeout(self, checkpoint_timeout: int) -> CheckpointConfig:
        """Set how long an epoch may take in ms, on Spark. One that takes longer is stopped, and has failed.

        An epoch may take any time if this is not set.
        """
        return self._set_number("timeout", checkpoint_timeout, least=_LEAST_MS)

    def get_min_pause_between_checkpoints(self) -> int:
        """Return the least pause between checkpoints in ms; default 0."""
        return self._duration("min-pause", 0)

    def set_min_pause_between_checkpoints(self, min_pause_between_checkpoints: int) -> CheckpointConfig:
        """Set the least time in ms between the end of an epoch and the start of the next one."""
        return self._set_number("min-pause", min_pause_between_checkpoints, least=0)

    def get_max_concurrent_checkpoints(self) -> int:
        """Return how many checkpoints may run at a time; default 1."""
        return self._number("max-concurrent-checkpoints", 1)

    @without_effect("one epoch runs at a time", warn=False)
    def set_max_concurrent_checkpoints(self, max_concurrent_checkpoints: int) -> CheckpointConfig:
        """Set how many checkpoints may run at a time; no effect."""
        if max_concurrent_checkpoints != 1:
            warn_once("CheckpointConfig.set_max_concurrent_checkpoints", "one epoch runs at a time")
        return self._set_number("max-concurrent-checkpoints", max_concurrent_checkpoints, least=1)

    def is_fail_on_checkpointing_errors(self) -> bool:
        """Whether the first failed checkpoint fails the job; default true."""
        return self.get_tolerable_checkpoint_failure_number() == 0

    def set_fail_on_checkpointing_errors(self, fail_on_checkpointing_errors: bool) -> CheckpointConfig:
        """Set whether the first failed epoch fails the job; see `set_tolerable_checkpoint_failure_number`."""
        failures = 0 if fail_on_checkpointing_errors else _ALL_FAILURES
        return self._set_number("tolerable-failed-checkpoints", failures, least=0)

    def get_tolerable_checkpoint_failure_number(self) -> int:
        """Return how many failed checkpoints in a row are tolerated; default 0."""
        return self._number("tolerable-failed-checkpoints", 0)

    def set_tolerable_checkpoint_failure_number(self, tolerable_checkpoint_failure_number: int) -> CheckpointConfig:
        """Set how many epochs in a row may fail, in a way that can pass, and run again at once.

        Such an epoch is no failure of the job: its restart strategy does not count it.
        """
        return self._set_number("tolerable-failed-checkpoints", tolerable_checkpoint_failure_number, least=0)

    def set_externalized_checkpoint_retention(
        self, retention_mode: ExternalizedCheckpointRetention
    ) -> CheckpointConfig:
        """Set what becomes of the checkpoint directory when the job is cancelled: it stays, unless it is to be deleted.

        Ctrl-C and SIGTERM cancel a job, too.
        """
        return self._set_choice("externalized-checkpoint-retention", retention_mode, ExternalizedCheckpointRetention)

    def get_externalized_checkpoint_retention(self) -> ExternalizedCheckpointRetention:
        """Return what becomes of the checkpoint when the job is cancelled; by default it is not kept."""
        return self._choice(
            "externalized-checkpoint-retention", ExternalizedCheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS
        )

    def is_externalized_checkpoints_enabled(self) -> bool:
        """Whether checkpoints are kept beside the job."""
        return (
            self.get_externalized_checkpoint_retention()
            is not ExternalizedCheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS
        )

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """Whether unaligned checkpoints are asked for, which the mode EXACTLY_ONCE alone allows; default false."""
        allowed = self.get_checkpointing_mode() is CheckpointingMode.EXACTLY_ONCE
        return allowed and self._configuration.get_boolean(_PREFIX + "unaligned.enabled", False)

    @without_effect(_BARRIERS)
    def enable_unaligned_checkpoints(self, enabled: bool = True) -> CheckpointConfig:
        """Ask for unaligned checkpoints; no effect."""
        self._configuration.set_boolean(_PREFIX + "unaligned.enabled", enabled)
        return self

    @without_effect(_BARRIERS, warn=False)
    def disable_unaligned_checkpoints(self) -> CheckpointConfig:
        """Ask for aligned checkpoints; no effect."""
        self._configuration.set_boolean(_PREFIX + "unaligned.enabled", False)
        return self

    @without_effect(_BARRIERS)
    def set_aligned_checkpoint_timeout(self, alignment_timeout: _Duration) -> CheckpointConfig:
        """Set the `Duration` after which an aligned checkpoint turns unaligned; no effect."""
        return self._set_number("aligned-checkpoint-timeout", alignment_timeout.to_millis(), least=0)

    def get_aligned_checkpoint_timeout(self) -> Any:
        """Return the `Duration` after which an aligned checkpoint turns unaligned; default 0."""
        # Durations lie above this package, which knows them by name only.
        duration = importlib.import_module("datastream.time").Duration
        return duration.of_millis(self._duration("aligned-checkpoint-timeout", 0))

    @without_effect(_BARRIERS)
    def set_alignment_timeout(self, alignment_timeout: _Duration) -> CheckpointConfig:
        """Do as `set_aligned_checkpoint_timeout`, under its older name."""
        return self._set_number("aligned-checkpoint-timeout", alignment_timeout.to_millis(), least=0)

    def get_alignment_timeout(self) -> Any:
        """Do as `get_aligned_checkpoint_timeout`, under its older name."""
        return self.get_aligned_checkpoint_timeout()

    @without_effect(_BARRIERS)
    def set_force_unaligned_checkpoints(self, force_unaligned_checkpoints: bool = True) -> CheckpointConfig:
        """Ask for unaligned checkpoints even with iterations; no effect."""
        self._configuration.set_boolean(_PREFIX + "unaligned.forced", force_unaligned_checkpoints)
        return self

    def is_force_unaligned_checkpoints(self) -> bool:
        """Whether unaligned checkpoints are asked for even with iterations; default false."""
        return self._configuration.get_boolean(_PREFIX + "unaligned.forced", False)

    def _duration(self, name: str, default: int) -> int:
        return self._configuration.get_duration_ms(_PREFIX + name, default)

    def _number(self, name: str, default: int) -> int:
        return self._configuration.get_integer(_PREFIX + name, default)

    def _set_number(self, name: str, value: int, least: int) -> CheckpointConfig:
        if not isinstance(value, int) or value < least:
            raise ValidationError(f"Config '{_PREFIX}{name}' must be an integer of at least {least}: got {cut(value)}.")
        self._configuration.set_integer(_PREFIX + name, value)
        return self

    def _choice(self, name: str, default: E) -> E:
        choices = type(default)
        text = self._configuration.get_string(_PREFIX + name, default.name)
        try:
            return choices[text.strip().upper().replace("-", "_")]
        except KeyError:
            raise ValidationError(
                f"Config '{_PREFIX}{name}' is {cut(text)}: expected one of {', '.join(choices.__members__)}."
            ) from None

    def _set_choice(self, name: str, value: object, choices: type[E]) -> CheckpointConfig:
        if not isinstance(value, choices):
            raise ValidationError(f"Config '{_PREFIX}{name}' must be a {choices.__name__}: got {cut(value)}.")
        self._configuration.set_string(_PREFIX + name, value.name)
        return self


def configured_timeout(configuration: Configuration) -> int | None:
    """The timeout of a checkpoint in ms if it was set."""
    millis = configuration.get_duration_ms(_PREFIX + "timeout", -1)
    return None if millis < 0 else _at_least("timeout", millis, _LEAST_MS)


def configured_retention(configuration: Configuration) -> int | None:
    """How many checkpoints to keep if that was set, under the key of now or the old one."""
    number = configuration.get_integer(_PREFIX + "num-retained", configuration.get_integer(_OLD_RETAINED, -1))
    return None if number == -1 else _at_least("num-retained", number, 1)


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise ValidationError(f"Config '{_PREFIX}{name}' must be at least {least}: got {value}.")
    return value
