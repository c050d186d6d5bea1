"""When Flink's state backends clean up expired values. Plain data here: pages of state clean themselves."""

from __future__ import annotations

from abc import ABC
from enum import Enum
from typing import cast

from datastream.time import Time


class CleanupStrategies:
    """The ways of cleaning up that were chosen.

    Args:
        strategies: The chosen ones.
        is_cleanup_in_background: Whether state backends also clean up in their own way.
    """

    class Strategies(Enum):
        """The ways of cleaning up."""

        FULL_STATE_SCAN_SNAPSHOT = 0
        INCREMENTAL_CLEANUP = 1
        ROCKSDB_COMPACTION_FILTER = 2

    class CleanupStrategy(ABC):  # noqa: B024 - PyFlink's base class has no methods
        """One way of cleaning up, with its settings."""

    class EmptyCleanupStrategy(Enum):
        """A way of cleaning up without settings."""

        EMPTY_STRATEGY = 0

    class IncrementalCleanupStrategy(CleanupStrategy):
        """Looks at some entries whenever state is used.

        Args:
            cleanup_size: How many entries to look at.
            run_cleanup_for_every_record: Whether to do so for every record as well.
        """

        def __init__(self, cleanup_size: int, run_cleanup_for_every_record: bool) -> None:
            self._cleanup_size = cleanup_size
            self._run_cleanup_for_every_record = run_cleanup_for_every_record

        def get_cleanup_size(self) -> int:
            """Return how many entries to look at."""
            return self._cleanup_size

        def run_cleanup_for_every_record(self) -> bool:
            """Return whether to look for every record as well."""
            return self._run_cleanup_for_every_record

    class RocksdbCompactFilterCleanupStrategy(CleanupStrategy):
        """Drops entries while RocksDB compacts its files.

        Args:
            query_time_after_num_entries: After how many entries to look at the clock again.
            periodic_compaction_time: The age at which files are compacted in any case; default 30 days.
        """

        def __init__(self, query_time_after_num_entries: int, periodic_compaction_time: Time | None = None) -> None:
            self._query_time_after_num_entries = query_time_after_num_entries
            self._periodic_compaction_time = periodic_compaction_time or Time.days(30)

        def get_query_time_after_num_entries(self) -> int:
            """Return after how many entries to look at the clock again."""
            return self._query_time_after_num_entries

        def get_periodic_compaction_time(self) -> Time:
            """Return the age at which files are compacted in any case."""
            return self._periodic_compaction_time

    EMPTY_STRATEGY = EmptyCleanupStrategy.EMPTY_STRATEGY
    DEFAULT_INCREMENTAL_CLEANUP_STRATEGY = IncrementalCleanupStrategy(5, False)
    DEFAULT_ROCKSDB_COMPACT_FILTER_CLEANUP_STRATEGY = RocksdbCompactFilterCleanupStrategy(1000)

    def __init__(
        self, strategies: dict[Strategies, CleanupStrategy | EmptyCleanupStrategy], is_cleanup_in_background: bool
    ) -> None:
        self._strategies = strategies
        self._is_cleanup_in_background = is_cleanup_in_background

    def is_cleanup_in_background(self) -> bool:
        """Return whether state backends also clean up in their own way."""
        return self._is_cleanup_in_background

    def in_full_snapshot(self) -> bool:
        """Return whether full snapshots leave expired values out."""
        return self.Strategies.FULL_STATE_SCAN_SNAPSHOT in self._strategies

    def get_incremental_cleanup_strategy(self) -> IncrementalCleanupStrategy | None:
        """Return the incremental strategy: the chosen one, else in the background a default, else None."""
        default = self.DEFAULT_INCREMENTAL_CLEANUP_STRATEGY if self._is_cleanup_in_background else None
        return cast(
            "CleanupStrategies.IncrementalCleanupStrategy | None",
            self._strategies.get(self.Strategies.INCREMENTAL_CLEANUP, default),
        )

    def get_rocksdb_compact_filter_cleanup_strategy(self) -> RocksdbCompactFilterCleanupStrategy | None:
        """Return the strategy of compaction: the chosen one, else in the background a default, else None."""
        default = self.DEFAULT_ROCKSDB_COMPACT_FILTER_CLEANUP_STRATEGY if self._is_cleanup_in_background else None
        return cast(
            "CleanupStrategies.RocksdbCompactFilterCleanupStrategy | None",
            self._strategies.get(self.Strategies.ROCKSDB_COMPACTION_FILTER, default),
        )
