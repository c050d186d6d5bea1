"""Settings of the environment that are kept and returned, without effect, and those that are refused."""

from __future__ import annotations

import re
from typing import Self

from datastream.config import CheckpointConfig, Configuration
from datastream.config.resources import SlotSharingGroup
from datastream.errors import ValidationError
from datastream.missing_names import MissingNames
from datastream.without_effect import without_effect

_CHANGELOG = "state.changelog.enabled"
_SAVEPOINTS = "execution.checkpointing.savepoint-dir"
_BUFFERS = "execution.buffer-timeout.interval"
_BUFFERS_LEAVE = "execution.buffer-timeout.enabled"
_MIXED_CHAINS = "pipeline.operator-chaining.chain-operators-with-different-max-parallelism"


class AcceptedSettings(MissingNames):
    """What `StreamExecutionEnvironment` has so that scripts of PyFlink run."""

    _configuration: Configuration

    @without_effect("blocks of records leave when they are full or the epoch ends")
    def set_buffer_timeout(self, timeout_millis: int) -> Self:
        """Kept and without effect: blocks leave when they are full or the epoch ends."""
        if timeout_millis < -1:
            raise ValidationError(f"set_buffer_timeout needs milliseconds, or -1 for none, got {timeout_millis}")
        if timeout_millis == -1:
            self._configuration.set_boolean(_BUFFERS_LEAVE, False)
        else:
            self._configuration.set_integer(_BUFFERS, timeout_millis)
        return self

    def get_buffer_timeout(self) -> int:
        """The timeout that was set, in ms; -1: none; default 100."""
        if not self._configuration.get_boolean(_BUFFERS_LEAVE, True):
            return -1
        return self._configuration.get_duration_ms(_BUFFERS, 100)

    @without_effect("Spark schedules whole stages; give executors their size with spark.executor.*")
    def register_slot_sharing_group(self, slot_sharing_group: SlotSharingGroup) -> Self:
        """Accepted and without effect: Spark schedules whole stages."""
        return self

    def is_chaining_of_operators_with_different_max_parallelism_enabled(self) -> bool:
        """Whether operators of different max parallelism may be fused; default true."""
        return self._configuration.get_boolean(_MIXED_CHAINS, True)

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """Whether unaligned checkpoints are asked for, which have no effect; default false."""
        return CheckpointConfig(self._configuration).is_unaligned_checkpoints_enabled()

    def is_force_unaligned_checkpoints(self) -> bool:
        """Whether they are asked for even with iterations; default false."""
        return CheckpointConfig(self._configuration).is_force_unaligned_checkpoints()

    @without_effect("Spark's state store writes changes only, with or without it")
    def enable_changelog_state_backend(self, enabled: bool) -> Self:
        """Ask for a changelog of the state, or not; no effect."""
        self._configuration.set_boolean(_CHANGELOG, enabled)
        return self

    def is_changelog_state_backend_enabled(self) -> bool | None:
        """Whether a changelog of the state is asked for; None: not set."""
        return (
            self._configuration.get_boolean(_CHANGELOG, False) if self._configuration.contains_key(_CHANGELOG) else None
        )

    def set_default_savepoint_directory(self, directory: str) -> Self:
        """Set the folder in which a running job writes its savepoints."""
        self._configuration.set_string(_SAVEPOINTS, _as_path(directory))
        return self

    def get_default_savepoint_directory(self) -> str | None:
        """The folder of savepoints that was set, or None."""
        return _as_path(self._configuration.get_string(_SAVEPOINTS, "")) or None


def _as_path(directory: str) -> str:
    """A directory as Flink writes it: ``file:/a`` for ``file:///a``."""
    return re.sub("^([A-Za-z][A-Za-z0-9+.-]*:)/{3,}", r"\1/", directory)


def configuration_of(env: AcceptedSettings) -> Configuration:
    """All settings of an environment."""
    return env._configuration  # noqa: SLF001 - users set one by one, or call configure
