"""How small part files would be merged: kept as data, since the sink itself puts part files together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from datastream.errors import ValidationError


@dataclass(frozen=True)
class FileCompactStrategy:
    """When part files are merged; made by `builder`. `FileSink` refuses it and says what to use instead.

    Attributes:
        size_threshold: Bytes; -1: not set.
        num_checkpoints_before_compaction: -1: not set.
        num_compact_threads: Default: 1.
    """

    size_threshold: int = -1
    num_checkpoints_before_compaction: int = -1
    num_compact_threads: int = 1

    @staticmethod
    def builder() -> FileCompactStrategy.Builder:
        """Return a builder; set one of its two conditions at least."""
        return FileCompactStrategy.Builder()

    class Builder:
        """Collects the conditions."""

        def __init__(self) -> None:
            self._size = self._checkpoints = -1
            self._threads = 1

        def enable_compaction_on_checkpoint(
            self, num_checkpoints_before_compaction: int
        ) -> FileCompactStrategy.Builder:
            """Merge after this number of checkpoints."""
            self._checkpoints = _positive("num_checkpoints_before_compaction", num_checkpoints_before_compaction)
            return self

        def set_size_threshold(self, size_threshold: int) -> FileCompactStrategy.Builder:
            """Merge when the files hold this number of bytes."""
            self._size = size_threshold
            return self

        def set_num_compact_threads(self, num_compact_threads: int) -> FileCompactStrategy.Builder:
            """Set how many threads merge."""
            self._threads = _positive("num_compact_threads", num_compact_threads)
            return self

        def build(self) -> FileCompactStrategy:
            """Return the strategy.

            Raises:
                ValidationError: neither condition is set.
            """
            if self._size < 0 and self._checkpoints < 0:
                raise ValidationError(
                    "FileCompactStrategy: call enable_compaction_on_checkpoint or set_size_threshold before build"
                )
            return FileCompactStrategy(self._size, self._checkpoints, self._threads)


@dataclass(frozen=True)
class FileCompactor:
    """How part files are merged. `FileSink` refuses it and says what to use instead.

    Attributes:
        kind: ``concat`` or ``identical``.
        file_delimiter: Between two files' bytes; None: nothing.
    """

    kind: Literal["concat", "identical"]
    file_delimiter: bytes | None = None

    @staticmethod
    def concat_file_compactor(file_delimiter: bytes | None = None) -> FileCompactor:
        """Append one file to the other, with the delimiter between them."""
        return FileCompactor("concat", file_delimiter or None)

    @staticmethod
    def identical_file_compactor() -> FileCompactor:
        """Keep a file as it is, only under another name."""
        return FileCompactor("identical")


def _positive(name: str, value: int) -> int:
    if value <= 0:
        raise ValidationError(f"FileCompactStrategy: {name} must be positive, got {value}")
    return value
