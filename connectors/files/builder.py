"""PyFlink's builder of a FileSource, and the choices it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from datastream.errors import ValidationError
from datastream.without_effect import without_effect

from .formats import FileFormat
from .source import FileSource

if TYPE_CHECKING:
    from datastream.time import Duration


@dataclass(frozen=True)
class FileEnumeratorProvider:
    """Whether several tasks may share a file."""

    splittable: bool

    @staticmethod
    def default_splittable_file_enumerator() -> FileEnumeratorProvider:
        """Files are cut where the format allows it. The default."""
        return FileEnumeratorProvider(True)

    @staticmethod
    def default_non_splittable_file_enumerator() -> FileEnumeratorProvider:
        """Every file is read whole, by one task."""
        return FileEnumeratorProvider(False)


@dataclass(frozen=True)
class FileSplitAssignerProvider:
    """Which task reads which split. Spark decides that; the choice is accepted and changes nothing."""

    locality_aware: bool

    @staticmethod
    def locality_aware_split_assigner() -> FileSplitAssignerProvider:
        """Flink's assigner that prefers tasks near the data."""
        return FileSplitAssignerProvider(True)


class FileSourceBuilder:
    """Builds a `FileSource`; without further calls, of a fixed set of files."""

    def __init__(self, file_format: FileFormat, paths: tuple[str, ...]) -> None:
        self._format = file_format
        self._paths = paths
        self._interval_ms: int | None = None
        self._splittable = True

    def monitor_continuously(self, discovery_interval: Duration) -> FileSourceBuilder:
        """Watch the paths without end and read each new file once.

        Args:
            discovery_interval: Look for new files at most this often.

        Raises:
            ValidationError: if the interval is not positive.
        """
        interval_ms = discovery_interval.to_millis()
        if interval_ms <= 0:
            raise ValidationError(f"monitor_continuously: the interval must be positive, got {interval_ms} ms")
        self._interval_ms = interval_ms
        return self

    def process_static_file_set(self) -> FileSourceBuilder:
        """Read the files that are there when the job starts, then end. The default."""
        self._interval_ms = None
        return self

    def set_file_enumerator(self, file_enumerator: FileEnumeratorProvider) -> FileSourceBuilder:
        """Choose whether several tasks may share a file."""
        self._splittable = file_enumerator.splittable
        return self

    @without_effect("Spark places the tasks")
    def set_split_assigner(self, split_assigner: FileSplitAssignerProvider) -> FileSourceBuilder:
        """Accepted, without effect: Spark places the tasks."""
        return self

    def build(self) -> FileSource:
        """The source."""
        return FileSource(self._format, self._paths, self._interval_ms, self._splittable)
