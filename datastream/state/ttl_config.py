"""How long the values of a state live.

Flink: https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/state/ ,
"State Time-To-Live (TTL)".
"""

from __future__ import annotations

from typing import TypeAlias

from datastream.errors import ValidationError, cut
from datastream.state import ttl_choices, ttl_cleanup
from datastream.time import Time
from datastream.without_effect import without_effect

_CLEANUP = "what has expired goes when it is met, and when anything in its page of state is written"


class StateTtlConfig:
    """How long the values of a state live; made by `new_builder`.

    Elements of a list and entries of a map each live their own time. Expired values go when they are read, and
    when anything in their page of state (about 128 keys) is written; no strategy is needed for that.

    Args:
        update_type: What starts the time anew.
        state_visibility: Whether expired values may be seen.
        ttl_time_characteristic: The clock.
        ttl: The time to live.
        cleanup_strategies: When Flink's state backends would clean up; kept, but state here cleans as said above.

    Raises:
        ValidationError: The time to live is not above zero.
    """

    UpdateType: TypeAlias = ttl_choices.UpdateType
    StateVisibility: TypeAlias = ttl_choices.StateVisibility
    TtlTimeCharacteristic: TypeAlias = ttl_choices.TtlTimeCharacteristic
    CleanupStrategies: TypeAlias = ttl_cleanup.CleanupStrategies

    def __init__(
        self,
        update_type: UpdateType,
        state_visibility: StateVisibility,
        ttl_time_characteristic: TtlTimeCharacteristic,
        ttl: Time,
        cleanup_strategies: CleanupStrategies,
    ) -> None:
        if not isinstance(ttl, Time) or ttl.to_milliseconds() <= 0:
            raise ValidationError(f"ttl must be a Time above zero: got {cut(ttl)}.")
        self._update_type = update_type
        self._state_visibility = state_visibility
        self._ttl_time_characteristic = ttl_time_characteristic
        self._ttl = ttl
        self._cleanup_strategies = cleanup_strategies

    @staticmethod
    def new_builder(ttl: Time) -> StateTtlConfig.Builder:
        """Return a builder for values that live so long."""
        return StateTtlConfig.Builder(ttl)

    def get_update_type(self) -> UpdateType:
        """Return what starts the time anew."""
        return self._update_type

    def get_state_visibility(self) -> StateVisibility:
        """Return whether expired values may be seen."""
        return self._state_visibility

    def get_ttl(self) -> Time:
        """Return the time to live."""
        return self._ttl

    def get_ttl_time_characteristic(self) -> TtlTimeCharacteristic:
        """Return the clock."""
        return self._ttl_time_characteristic

    def is_enabled(self) -> bool:
        """Return whether values expire at all."""
        return self._update_type is not ttl_choices.UpdateType.Disabled

    def get_cleanup_strategies(self) -> CleanupStrategies:
        """Return when Flink's state backends would clean up."""
        return self._cleanup_strategies

    def __repr__(self) -> str:
        return (
            f"StateTtlConfig<update_type={self._update_type}, state_visibility={self._state_visibility}, "
            f"ttl_time_characteristic={self._ttl_time_characteristic}, ttl={self._ttl}>"
        )

    class Builder:
        """Makes a `StateTtlConfig`.

        Defaults: writing starts the time anew, expired values are never seen, cleaned up in the background.

        Args:
            ttl: The time to live.
        """

        def __init__(self, ttl: Time) -> None:
            self._ttl = ttl
            self._update_type = ttl_choices.UpdateType.OnCreateAndWrite
            self._state_visibility = ttl_choices.StateVisibility.NeverReturnExpired
            self._ttl_time_characteristic = ttl_choices.TtlTimeCharacteristic.ProcessingTime
            self._is_cleanup_in_background = True
            self._strategies: dict[
                StateTtlConfig.CleanupStrategies.Strategies,
                StateTtlConfig.CleanupStrategies.CleanupStrategy
                | StateTtlConfig.CleanupStrategies.EmptyCleanupStrategy,
            ] = {}

        def set_update_type(self, update_type: ttl_choices.UpdateType) -> StateTtlConfig.Builder:
            """Set what starts the time anew."""
            self._update_type = update_type
            return self

        def update_ttl_on_create_and_write(self) -> StateTtlConfig.Builder:
            """Let writing start the time anew."""
            return self.set_update_type(ttl_choices.UpdateType.OnCreateAndWrite)

        def update_ttl_on_read_and_write(self) -> StateTtlConfig.Builder:
            """Let writing and reading start the time anew."""
            return self.set_update_type(ttl_choices.UpdateType.OnReadAndWrite)

        def set_state_visibility(self, state_visibility: ttl_choices.StateVisibility) -> StateTtlConfig.Builder:
            """Set whether expired values may be seen."""
            self._state_visibility = state_visibility
            return self

        def return_expired_if_not_cleaned_up(self) -> StateTtlConfig.Builder:
            """Let expired values be seen until they are cleaned up."""
            return self.set_state_visibility(ttl_choices.StateVisibility.ReturnExpiredIfNotCleanedUp)

        def never_return_expired(self) -> StateTtlConfig.Builder:
            """Let expired values never be seen."""
            return self.set_state_visibility(ttl_choices.StateVisibility.NeverReturnExpired)

        def set_ttl_time_characteristic(
            self, ttl_time_characteristic: ttl_choices.TtlTimeCharacteristic
        ) -> StateTtlConfig.Builder:
            """Set the clock."""
            self._ttl_time_characteristic = ttl_time_characteristic
            return self

        def use_processing_time(self) -> StateTtlConfig.Builder:
            """Go by the machine's clock, as is the default and the only choice."""
            return self.set_ttl_time_characteristic(ttl_choices.TtlTimeCharacteristic.ProcessingTime)

        @without_effect(_CLEANUP, warn=False)
        def cleanup_full_snapshot(self) -> StateTtlConfig.Builder:
            """Accepted for Flink's sake: a checkpoint here never is a full snapshot."""
            self._strategies[StateTtlConfig.CleanupStrategies.Strategies.FULL_STATE_SCAN_SNAPSHOT] = (
                StateTtlConfig.CleanupStrategies.EmptyCleanupStrategy.EMPTY_STRATEGY
            )
            return self

        @without_effect(_CLEANUP, warn=False)
        def cleanup_incrementally(
            self, cleanup_size: int, run_cleanup_for_every_record: bool
        ) -> StateTtlConfig.Builder:
            """Accepted for Flink's sake: pages of state clean themselves when they are written."""
            self._strategies[StateTtlConfig.CleanupStrategies.Strategies.INCREMENTAL_CLEANUP] = (
                StateTtlConfig.CleanupStrategies.IncrementalCleanupStrategy(cleanup_size, run_cleanup_for_every_record)
            )
            return self

        @without_effect(_CLEANUP, warn=False)
        def cleanup_in_rocksdb_compact_filter(
            self, query_time_after_num_entries: int, periodic_compaction_time: Time | None = None
        ) -> StateTtlConfig.Builder:
            """Accepted for Flink's sake: RocksDB holds pages here, and its compaction does not look into them."""
            self._strategies[StateTtlConfig.CleanupStrategies.Strategies.ROCKSDB_COMPACTION_FILTER] = (
                StateTtlConfig.CleanupStrategies.RocksdbCompactFilterCleanupStrategy(
                    query_time_after_num_entries, periodic_compaction_time
                )
            )
            return self

        @without_effect(_CLEANUP, warn=False)
        def disable_cleanup_in_background(self) -> StateTtlConfig.Builder:
            """Accepted for Flink's sake: there is no cleanup in the background here."""
            self._is_cleanup_in_background = False
            return self

        def set_ttl(self, ttl: Time) -> StateTtlConfig.Builder:
            """Set the time to live."""
            self._ttl = ttl
            return self

        def build(self) -> StateTtlConfig:
            """Return the configuration.

            Raises:
                ValidationError: The time to live is not above zero.
            """
            return StateTtlConfig(
                self._update_type,
                self._state_visibility,
                self._ttl_time_characteristic,
                self._ttl,
                StateTtlConfig.CleanupStrategies(dict(self._strategies), self._is_cleanup_in_background),
            )
