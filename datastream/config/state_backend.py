"""How Flink would keep state; kept as data, since state is in Spark's state store here."""

from __future__ import annotations

from enum import Enum

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.without_effect import class_without_effect

_STORE = "keyed state is in Spark's state store, RocksDB; -D spark.sql.streaming.stateStore.* sets it up"


class StateBackend:
    """Base of the state backends."""


@class_without_effect(_STORE)
class HashMapStateBackend(StateBackend):
    """State in memory."""

    def __str__(self) -> str:
        return "HashMapStateBackend"


class PredefinedOptions(Enum):
    """Options of RocksDB for kinds of disks."""

    DEFAULT = 0
    SPINNING_DISK_OPTIMIZED = 1
    SPINNING_DISK_OPTIMIZED_HIGH_MEM = 2
    FLASH_SSD_OPTIMIZED = 3


@class_without_effect(_STORE)
class EmbeddedRocksDBStateBackend(StateBackend):
    """State in RocksDB.

    Args:
        enable_incremental_checkpointing: Whether checkpoints hold changes only. Default: the configuration says.
    """

    def __init__(self, enable_incremental_checkpointing: bool | None = None) -> None:
        if enable_incremental_checkpointing not in (None, True, False):
            raise ValidationError(
                "EmbeddedRocksDBStateBackend: enable_incremental_checkpointing must be True, False or None, "
                f"got {cut(enable_incremental_checkpointing)}"
            )
        self._incremental = enable_incremental_checkpointing
        self._paths: list[str] | None = None
        self._predefined = PredefinedOptions.DEFAULT
        self._threads = 4

    def set_db_storage_paths(self, *paths: str) -> None:
        """Set the folders of RocksDB's files; none: the default."""
        if any(not path.startswith("/") and ":/" not in path for path in paths):
            raise ValidationError(f"set_db_storage_paths: the paths must be absolute, got {cut(paths)}")
        self._paths = list(paths) or None

    def get_db_storage_paths(self) -> list[str] | None:
        """Return the folders of RocksDB's files, or None where none were set."""
        return self._paths

    def is_incremental_checkpoints_enabled(self) -> bool:
        """Whether checkpoints hold changes only; default false."""
        return bool(self._incremental)

    def set_predefined_options(self, options: PredefinedOptions) -> None:
        """Set RocksDB's options for a kind of disk."""
        if not isinstance(options, PredefinedOptions):
            raise ValidationError(f"set_predefined_options: expected a PredefinedOptions, got {cut(options)}")
        self._predefined = options

    def get_predefined_options(self) -> PredefinedOptions:
        """Return RocksDB's options for a kind of disk; default DEFAULT."""
        return self._predefined

    def set_options(self, options_factory_class_name: str) -> None:
        """Not supported: the factory of RocksDB's options is a class of Java.

        Raises:
            UnsupportedOperation: always.
        """
        raise UnsupportedOperation(
            f"EmbeddedRocksDBStateBackend.set_options({cut(options_factory_class_name)}): Java classes cannot be used "
            "here; set options of RocksDB with -D spark.sql.streaming.stateStore.rocksdb.*"
        )

    def get_options(self) -> str | None:
        """Return None: no factory of options can be set."""
        return None

    def get_number_of_transfer_threads(self) -> int:
        """Return how many threads move files; default 4."""
        return self._threads

    def set_number_of_transfer_threads(self, number_of_transfering_threads: int) -> None:
        """Set how many threads move files."""
        if number_of_transfering_threads < 1:
            raise ValidationError(
                f"set_number_of_transfer_threads: expected at least 1, got {cut(number_of_transfering_threads)}"
            )
        self._threads = number_of_transfering_threads

    def __str__(self) -> str:
        return "EmbeddedRocksDBStateBackend"


class CustomStateBackend(StateBackend):
    """A state backend written in Java; refused."""

    def __init__(self, j_custom_state_backend: object) -> None:
        raise UnsupportedOperation(f"CustomStateBackend: Java classes cannot be used here; {_STORE}")
